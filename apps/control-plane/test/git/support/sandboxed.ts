/** Everything between a sandbox and a folder of the user: the sandbox server, the gateway in workerd, the forge. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startForge } from '@ship/forge';
import { type SandboxServerOptions, startSandboxServer } from '@ship/sandbox-server';
import { preparedDataFolder } from '../../../../../scripts/testing/prepared-data.ts';
import {
  addedRepositories,
  connectForge,
  gatewayRemotes,
  readRemotes,
  sandboxShell,
} from '../../../src/git/index.ts';
import { MIRROR_FOLDER } from '../../../src/git/mirror/template.ts';
import { E2bSandboxes } from '../../../src/sandbox/e2b.ts';
import { openAnonymousProxy } from './anonymous-proxy.ts';
import { SECRET, startControlPlane } from './control-plane.ts';
import { people, TestSession } from './world.ts';
import { removeFolder } from '../../../../../scripts/testing/remove-folder.ts';

const TOKEN = 'planted-forge-token-7f3a';
const API_KEY = 'e2b_0123456789';
const GATEWAY_URL = 'http://127.0.0.1:7002';
export const FOLDER = '/home/user/app';

export type Sandboxed = Awaited<ReturnType<typeof startSandboxed>>;

/** `outside` stands in for the internet of the sandboxes. */
export async function startSandboxed(
  outside: Pick<SandboxServerOptions, 'resolve' | 'dial' | 'certificateFiles'> = {},
) {
  const data = await preparedDataFolder();
  const forge = await startForge({
    root: join(data, 'forge'),
    tokens: [{ token: TOKEN, login: 'ada' }],
  });
  await mkdir(join(data, 'plane'));
  const plane = await startControlPlane(join(data, 'plane'), { ...forge, token: TOKEN });
  const proxy = await openAnonymousProxy(plane.url);
  const server = await startSandboxServer({
    apiKey: API_KEY,
    dataDir: join(data, 'sandboxes'),
    gateways: { git: { address: proxy.url } },
    ...outside,
  });
  const { apiUrl, sandboxUrl } = server;
  const port = new E2bSandboxes({ apiKey: API_KEY, apiUrl, sandboxUrl });
  const bindings = {
    FORGE_API_URL: forge.apiUrl,
    FORGE_GIT_URL: forge.gitUrl,
    FORGE_TOKEN: TOKEN,
  };
  return {
    data,
    forge,
    plane,
    port,
    bindings,
    token: TOKEN,
    /** Lets the forge serve a folder, as `ship up` does. */
    serve: (folder: string) => connectForge(folder, bindings),
    async addressOf(folder: string): Promise<string> {
      const { owner, name } = await connectForge(folder, bindings);
      return `${forge.gitUrl}/${owner}/${name}.git`;
    },
    /** A session on a folder of the user, in a new sandbox. */
    async session(
      location: string,
      preferred?: string,
      added: readonly string[] = [],
      egress: string[] = [],
    ) {
      const holder = await plane.holder();
      const { sessionId } = holder;
      const source = {
        template: 'base',
        ...(preferred === undefined ? {} : { preferred: [preferred] }),
      };
      const sandboxId = await port.create({
        sessionId,
        ...source,
        timeoutMs: 600_000,
        env: {},
        egress,
        readOnly: [MIRROR_FOLDER],
      });
      const at = await connectForge(location, bindings);
      const remotes = { secret: SECRET, door: GATEWAY_URL, forge: at, ...holder, now: Date.now };
      const session = new TestSession({
        shell: sandboxShell(port, sandboxId),
        folder: FOLDER,
        forge: at,
        remoteFor: gatewayRemotes(remotes),
        submodules: {
          origin: { gitUrl: forge.gitUrl, location },
          find: (named) => addedRepositories(bindings, async () => added).find('local', named),
          remoteFor: readRemotes(remotes),
        },
        session: {
          sessionId,
          title: 'Fix it',
          createdAtMs: Date.now(),
          cardId: null,
          base: null,
          branch: null,
        },
        people,
      });
      const run = (user: 'user' | 'root', text: string) =>
        port.run(sandboxId, { argv: ['bash', '-c', text], user, timeoutMs: 60_000 });
      return { session, sandboxId, run };
    },
    async close() {
      await server.close('stop');
      proxy.close();
      await plane.stop();
      await forge.close();
      removeFolder(data);
    },
  };
}
