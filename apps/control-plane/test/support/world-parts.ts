/** The real components of a session, composed as by `ship up`: forge, sandboxes, model, control plane. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ScriptFile, parseScript, startDemoModel } from '@ship/demo-model';
import { type ForgeOptions, startForge } from '@ship/forge';
import { type SandboxServerOptions, startSandboxServer } from '@ship/sandbox-server';
import { freePort } from '../../../../scripts/testing/free-port.ts';
import { preparedDataFolder } from '../../../../scripts/testing/prepared-data.ts';
import { openModelProxy } from './model-proxy.ts';
import { startControlPlane } from '../git/support/control-plane.ts';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';

export const API_KEY = 'e2b_0123456789';
export const FORGE_TOKEN = 'planted-forge-token-51c2';
const HOOK_SECRET = 'secret-of-the-webhooks';

export type WorldParts = Awaited<ReturnType<typeof openWorldParts>>;

interface WorldOptions {
  seesRequests?: boolean;
  /** Stands in for the internet of the sandboxes. */
  outside?: Pick<SandboxServerOptions, 'resolve' | 'dial'>;
  /** The forge stands in for GitHub and accepts these tokens, none of which the control plane gets. */
  githubTokens?: ForgeOptions['tokens'];
}

/** The model answers by these rules, and by the general script where none matches. */
export async function openWorldParts(
  rules: ScriptFile['rules'],
  { seesRequests = false, outside = {}, githubTokens }: WorldOptions = {},
) {
  const folder = await preparedDataFolder();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const script = parseScript({ name: 'session', rules, otherwise: 'general' });
  const model = await startDemoModel({ script });
  const seen = seesRequests ? await openModelProxy(model.baseUrl) : undefined;
  const forge = await startForge({
    root: join(folder, 'forge'),
    tokens: githubTokens ?? [{ token: FORGE_TOKEN, login: 'ada' }],
    webhooks: [{ url: `${url}/api/hooks/github`, secret: HOOK_SECRET }],
  });
  const gateway = { address: url };
  const sandboxes = await startSandboxServer({
    apiKey: API_KEY,
    dataDir: join(folder, 'sandboxes'),
    gateways: { models: gateway, git: gateway },
    ...outside,
  });
  await mkdir(join(folder, 'plane'));
  const startPlane = () =>
    startControlPlane(
      join(folder, 'plane'),
      { ...forge, token: FORGE_TOKEN },
      {
        port,
        bindings: {
          E2B_API_URL: sandboxes.apiUrl,
          E2B_SANDBOX_URL: sandboxes.sandboxUrl,
          E2B_API_KEY: API_KEY,
          DEMO_MODEL_URL: seen === undefined ? model.baseUrl : `${seen.address}/v1`,
          GITHUB_WEBHOOK_SECRET: HOOK_SECRET,
          ...(githubTokens !== undefined && {
            FORGE_API_URL: '',
            FORGE_GIT_URL: '',
            FORGE_TOKEN: '',
            GITHUB_URL: forge.gitUrl,
            GITHUB_API_URL: forge.apiUrl,
          }),
        },
      },
    );
  let plane = await startPlane();
  return {
    folder,
    url,
    model,
    /** The newest request to the model; needs `seesRequests`. */
    newestRequest: () => seen?.newest() ?? '',
    forge,
    sandboxes,
    plane,
    /** The log of the control plane since its last start. */
    log: () => plane.log,
    /** Kills it with SIGKILL, as a crash would, and starts it again. */
    restartPlane: async () => {
      await plane.stop();
      plane = await startPlane();
    },
    close: async () => {
      await sandboxes.close('stop');
      await plane.stop();
      await seen?.close();
      await model.close();
      await forge.close();
      removeFolder(folder);
    },
  };
}
