/**
 * The control plane as it runs on one machine: real workerd, real sandbox server, real disk. No agent is configured, so
 * prompts stay queued, as tests of the session itself need.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SandboxServer, startSandboxServer } from '@ship/sandbox-server';
import type { SessionId } from '@ship/protocol';
import { Sandbox } from 'e2b';
import { preparedDataFolder } from '../../../scripts/testing/prepared-data.ts';
import type { LaunchBindings } from '../launch.ts';
import { Api, until } from './harness/api.ts';
import { ControlPlane } from './harness/control-plane.ts';
import { SandboxApiProxy } from './harness/sandbox-api-proxy.ts';
import { removeFolder } from '../../../scripts/testing/remove-folder.ts';

export const LOCAL_TOKEN = '5f3c-local-token-of-the-harness';
export const SANDBOX_KEY = 'e2b_0123456789abcdef';

export interface Harness {
  plane: ControlPlane;
  api: Api;
  /** Between the control plane and the sandbox server. */
  sandboxApi: SandboxApiProxy;
  sandboxes: SandboxAdmin;
  close(): Promise<void>;
}

/** Lists, starts and kills sandboxes directly at the sandbox server, past the control plane. */
export class SandboxAdmin {
  readonly #options: { apiKey: string; apiUrl: string; sandboxUrl: string };

  constructor({ apiUrl, sandboxUrl }: SandboxServer) {
    this.#options = { apiKey: SANDBOX_KEY, apiUrl, sandboxUrl };
  }

  async create(sessionId: SessionId): Promise<string> {
    const metadata = { 'ship-session': sessionId };
    const created = await Sandbox.create('base', {
      ...this.#options,
      metadata,
      timeoutMs: 600_000,
    });
    return created.sandboxId;
  }

  async list(sessionId: SessionId): Promise<{ sandboxId: string; state: string }[]> {
    const query = { metadata: { 'ship-session': sessionId } };
    const found = await Sandbox.list({ ...this.#options, query }).nextItems();
    return found.map(({ sandboxId, state }) => ({ sandboxId, state }));
  }

  async isEvictable(sandboxId: string): Promise<boolean> {
    const { apiKey, apiUrl } = this.#options;
    const headers = { 'x-api-key': apiKey };
    const response = await fetch(`${apiUrl}/ship/sandboxes/${sandboxId}`, { headers });
    const { evictableSince } = (await response.json()) as { evictableSince: string | null };
    return evictableSince !== null;
  }

  async untilEvictable(sandboxId: string): Promise<void> {
    await until(
      () => this.isEvictable(sandboxId),
      (isEvictable) => isEvictable,
    );
  }

  kill(sandboxId: string): Promise<boolean> {
    return Sandbox.kill(sandboxId, this.#options);
  }

  /** Programs that were started through the sandbox API and still run. */
  async commands(sandboxId: string): Promise<string[]> {
    const sandbox = await Sandbox.connect(sandboxId, this.#options);
    return (await sandbox.commands.list()).map(({ cmd, args }) => [cmd, ...args].join(' '));
  }

  async run(sandboxId: string, command: string): Promise<string> {
    const sandbox = await Sandbox.connect(sandboxId, this.#options);
    return (await sandbox.commands.run(command, { timeoutMs: 20_000 })).stdout;
  }
}

export async function openHarness(
  bindings: Partial<LaunchBindings> = {},
  sandboxes: Pick<
    Parameters<typeof startSandboxServer>[0],
    'egress' | 'shared' | 'readMemory'
  > = {},
): Promise<Harness> {
  const folder = await preparedDataFolder();
  const server = await startSandboxServer({
    apiKey: SANDBOX_KEY,
    dataDir: join(folder, 'sandboxes'),
    ...sandboxes,
  });
  const sandboxApi = await SandboxApiProxy.open(server.apiUrl);
  const plane = await ControlPlane.start(folder, {
    LOCAL_TOKEN,
    SECRETS_KEYS: '0123456789abcdef'.repeat(4),
    E2B_API_URL: sandboxApi.url,
    E2B_SANDBOX_URL: server.sandboxUrl,
    E2B_API_KEY: SANDBOX_KEY,
    ...bindings,
  });
  return {
    plane,
    api: new Api(plane.url, LOCAL_TOKEN),
    sandboxApi,
    sandboxes: new SandboxAdmin(server),
    async close() {
      await plane.kill();
      await sandboxApi.stop();
      await server.close('stop');
      removeFolder(folder);
    },
  };
}

/** Without a sandbox server: sessions are created but get no sandbox, which is enough for some tests. */
export async function openControlPlane(bindings: Partial<LaunchBindings> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'ship-test-'));
  const plane = await ControlPlane.start(folder, {
    LOCAL_TOKEN,
    SECRETS_KEYS: '0123456789abcdef'.repeat(4),
    ...bindings,
  });
  return {
    plane,
    api: new Api(plane.url, LOCAL_TOKEN),
    close: async () => {
      await plane.kill();
      removeFolder(folder);
    },
  };
}
