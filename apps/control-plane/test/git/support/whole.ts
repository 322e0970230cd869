/** Everything that a session needs, as `ship up` composes it: forge, sandboxes, model and the control plane in workerd. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ScriptFile, parseScript, startDemoModel } from '@ship/demo-model';
import { ErrorBody, SessionView } from '@ship/protocol';
import { startForge } from '@ship/forge';
import { startSandboxServer } from '@ship/sandbox-server';
import { vi } from 'vitest';
import { freePort } from '../../../../../scripts/testing/free-port.ts';
import { preparedDataFolder } from '../../../../../scripts/testing/prepared-data.ts';
import { octokitFor } from '../../../src/git/forge/octokit.ts';
import { E2bSandboxes } from '../../../src/sandbox/e2b.ts';
import { LOCAL_TOKEN, startControlPlane } from './control-plane.ts';

const FORGE_TOKEN = 'planted-forge-token-51c2';
const HOOK_SECRET = 'secret-of-the-webhooks';
const apiKey = 'e2b_0123456789';

export type Whole = Awaited<ReturnType<typeof startWhole>>;

export async function startWhole(rules: ScriptFile['rules']) {
  const data = await preparedDataFolder();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const forge = await startForge({
    root: join(data, 'forge'),
    tokens: [{ token: FORGE_TOKEN, login: 'ada' }],
    webhooks: [{ url: `${url}/api/hooks/github`, secret: HOOK_SECRET }],
  });
  const model = await startDemoModel({ script: parseScript({ name: 'desk', rules }) });
  const gateway = { address: url };
  const sandboxes = await startSandboxServer({
    apiKey,
    dataDir: join(data, 'sandboxes'),
    gateways: { git: gateway, models: gateway },
  });
  await mkdir(join(data, 'plane'));
  const plane = await startControlPlane(
    join(data, 'plane'),
    { ...forge, token: FORGE_TOKEN },
    {
      port,
      bindings: {
        E2B_API_URL: sandboxes.apiUrl,
        E2B_SANDBOX_URL: sandboxes.sandboxUrl,
        E2B_API_KEY: apiKey,
        DEMO_MODEL_URL: model.baseUrl,
        GITHUB_WEBHOOK_SECRET: HOOK_SECRET,
      },
    },
  );
  let requests = 0;
  const ask = (method: string, path: string, body?: unknown) =>
    fetch(`${url}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${LOCAL_TOKEN}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const json = async <Answer>(method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await ask(method, path, body);
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer as Answer;
  };
  const refused = async (method: string, path: string, body?: unknown) => {
    const response = await ask(method, path, body);
    return ErrorBody.parse(await response.json()).error.code;
  };
  const view = async (sessionId: string) =>
    SessionView.parse(await json('GET', `/sessions/${sessionId}`));
  return {
    data,
    url,
    log: plane.log,
    ask,
    json,
    refused,
    view,
    octokit: octokitFor({ kind: 'local', ...forge, token: FORGE_TOKEN }).rest,
    port: new E2bSandboxes({ apiKey, apiUrl: sandboxes.apiUrl, sandboxUrl: sandboxes.sandboxUrl }),
    requestId: () => `request-of-a-test-${++requests}`,
    /** Waits for a condition of the session, however slow the machine. */
    until: (sessionId: string, isSo: (view: SessionView) => boolean): Promise<SessionView> =>
      vi.waitFor(
        async () => {
          const seen = await view(sessionId);
          if (isSo(seen)) return seen;
          const { summary, state } = seen;
          throw new Error(JSON.stringify([summary.status, summary.statusDetail, state.git]));
        },
        { timeout: 120_000, interval: 200 },
      ),
    async close() {
      await sandboxes.close('stop');
      await plane.stop();
      await model.close();
      await forge.close();
      await rm(data, { recursive: true, force: true });
    },
  };
}
