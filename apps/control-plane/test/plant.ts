/**
 * The control plane as it runs on one machine: real workerd, real sandbox server, real disk. No agent is configured, so
 * prompts wait, which is what tests of the session itself want.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SandboxServer, startSandboxServer } from '@ship/sandbox-server';
import type { SessionId } from '@ship/protocol';
import { Sandbox } from 'e2b';
import { preparedDataFolder } from '../../../scripts/testing/prepared-data.ts';
import type { LaunchBindings } from '../launch.ts';
import { Api, until } from './plant/api.ts';
import { ControlPlane } from './plant/control-plane.ts';
import { Gate } from './plant/gate.ts';
import { removeFolder } from '../../../scripts/testing/remove-folder.ts';

export const LOCAL_TOKEN = '5f3c-local-token-of-the-plant';
export const SANDBOX_KEY = 'e2b_0123456789abcdef';

export interface Plant {
  plane: ControlPlane;
  api: Api;
  /** Between the control plane and the sandbox server. */
  gate: Gate;
  sandboxes: SandboxHand;
  close(): Promise<void>;
}

/** What somebody can do behind the control plane's back. */
export class SandboxHand {
  readonly #options: { apiKey: string; apiUrl: string; sandboxUrl: string };

  constructor({ apiUrl, sandboxUrl }: SandboxServer) {
    this.#options = { apiKey: SANDBOX_KEY, apiUrl, sandboxUrl };
  }

  async make(sessionId: SessionId): Promise<string> {
    const metadata = { 'ship-session': sessionId };
    const made = await Sandbox.create('base', { ...this.#options, metadata, timeoutMs: 600_000 });
    return made.sandboxId;
  }

  async of(sessionId: SessionId): Promise<{ sandboxId: string; state: string }[]> {
    const query = { metadata: { 'ship-session': sessionId } };
    const found = await Sandbox.list({ ...this.#options, query }).nextItems();
    return found.map(({ sandboxId, state }) => ({ sandboxId, state }));
  }

  async isEvictable(sandboxId: string): Promise<boolean> {
    const { apiKey, apiUrl } = this.#options;
    const headers = { 'x-api-key': apiKey };
    const answer = await fetch(`${apiUrl}/ship/sandboxes/${sandboxId}`, { headers });
    const { evictableSince } = (await answer.json()) as { evictableSince: string | null };
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

  /** Programs that were started from outside and still run. */
  async commands(sandboxId: string): Promise<string[]> {
    const sandbox = await Sandbox.connect(sandboxId, this.#options);
    return (await sandbox.commands.list()).map(({ cmd, args }) => [cmd, ...args].join(' '));
  }

  async run(sandboxId: string, command: string): Promise<string> {
    const sandbox = await Sandbox.connect(sandboxId, this.#options);
    return (await sandbox.commands.run(command, { timeoutMs: 20_000 })).stdout;
  }
}

export async function openPlant(
  bindings: Partial<LaunchBindings> = {},
  sandboxes: Pick<
    Parameters<typeof startSandboxServer>[0],
    'egress' | 'shared' | 'readMemory'
  > = {},
): Promise<Plant> {
  const folder = await preparedDataFolder();
  const server = await startSandboxServer({
    apiKey: SANDBOX_KEY,
    dataDir: join(folder, 'sandboxes'),
    ...sandboxes,
  });
  const gate = await Gate.open(server.apiUrl);
  const plane = await ControlPlane.start(folder, {
    LOCAL_TOKEN,
    SECRETS_KEYS: '0123456789abcdef'.repeat(4),
    E2B_API_URL: gate.url,
    E2B_SANDBOX_URL: server.sandboxUrl,
    E2B_API_KEY: SANDBOX_KEY,
    ...bindings,
  });
  return {
    plane,
    api: new Api(plane.url, LOCAL_TOKEN),
    gate,
    sandboxes: new SandboxHand(server),
    async close() {
      await plane.kill();
      await gate.leave();
      await server.close('stop');
      removeFolder(folder);
    },
  };
}

/** Without a sandbox server: sessions are made and fail to get one, which is all that some tests need. */
export async function openPlaneAlone(bindings: Partial<LaunchBindings> = {}) {
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
