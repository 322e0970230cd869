/** All components of a session for tests of the git routes: the API, the forge and the sandboxes. */
import type { ScriptFile } from '@ship/demo-model';
import { ErrorBody, SessionView } from '@ship/protocol';
import { vi } from 'vitest';
import { octokitFor } from '../../../src/git/forge/octokit.ts';
import { E2bSandboxes } from '../../../src/sandbox/e2b.ts';
import { API_KEY, FORGE_TOKEN, openWorldParts } from '../../support/world-parts.ts';
import { LOCAL_TOKEN } from './control-plane.ts';

export type Whole = Awaited<ReturnType<typeof startWhole>>;

export async function startWhole(rules: ScriptFile['rules']) {
  const { folder: data, url, forge, sandboxes, plane, close } = await openWorldParts(rules);
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
  // Without a warm pool: a session with a pooled sandbox starts without its repository's mirror.
  await json('PATCH', '/settings', { warm: { size: 0 } });
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
    octokit: octokitFor({
      kind: 'local',
      ...forge,
      stored: null,
      token: FORGE_TOKEN,
      app: null,
    }).rest,
    port: new E2bSandboxes({
      apiKey: API_KEY,
      apiUrl: sandboxes.apiUrl,
      sandboxUrl: sandboxes.sandboxUrl,
    }),
    requestId: () => `request-of-a-test-${++requests}`,
    /** Waits for a condition of the session; the timeout allows for slow machines. */
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
    close,
  };
}
