import { networkRules } from '@ship/core';
import type { SessionId } from '@ship/protocol';
import {
  type ConnectionOpts,
  Sandbox,
  SandboxNotFoundError,
  type SandboxOpts,
  Template,
} from 'e2b';
import { readText, sandboxFetch } from './client.ts';
import { optionsOf, runBounded } from './e2b-command.ts';
import { quoteArgv } from './quote-argv.ts';
import type {
  BackgroundRequest,
  CommandOutcome,
  CommandRequest,
  Egress,
  BuilderRequest,
  PortAddress,
  SandboxPort,
  SandboxPresence,
  SandboxRequest,
} from './port.ts';

/** The service's address. The local server needs both URLs; E2B's cloud needs the key alone. */
export interface E2bConnection {
  apiKey: string;
  apiUrl?: string;
  sandboxUrl?: string;
}

/** A service that stays silent for this long counts as dead. */
const ANSWER_TIMEOUT_MS = 60_000;
/** Passed with every call into a sandbox: a connection that `#timed` made has no timeout, and a call could hang forever. */
const CALL_OPTIONS = { requestTimeoutMs: ANSWER_TIMEOUT_MS };
/** All files of the sandbox are read for it. */
const CAPTURE_TIMEOUT_MS = 300_000;
const SESSION_KEY = 'ship-session';
const BUILDER_KEY = 'ship-keeper';
/** The local server's metadata that tells whether a paused sandbox still has its processes. */
const MEMORY_KEY = 'ship.memory';
/** Folders that the local server mounts read-only; E2B stores it like any other metadata. */
const READ_ONLY_KEY = 'ship.readOnly';

/** The sandbox port over E2B's own SDK: the same code drives the local server and E2B's cloud. */
export class E2bSandboxes implements SandboxPort {
  readonly #connection: E2bConnection;
  /** A cache: connecting is a separate call, which creating or waking a sandbox has made already. */
  readonly #connected = new Map<string, Promise<Sandbox>>();
  /** The template's name at this service, where it differs. */
  readonly #template: string | undefined;
  readonly #always: Egress;

  /** `always`: hosts without which no sandbox of this service can work, such as Ship's gateways. */
  constructor(connection: E2bConnection, template?: string, always: Egress = []) {
    this.#connection = connection;
    this.#template = template;
    this.#always = always;
  }

  create({
    sessionId,
    timeoutMs,
    env,
    egress,
    readOnly = [],
    ...source
  }: SandboxRequest): Promise<string> {
    return this.#create(source, {
      timeoutMs,
      envs: env,
      network: this.#network(egress),
      metadata: {
        [SESSION_KEY]: sessionId,
        ...(readOnly.length === 0 ? {} : { [READ_ONLY_KEY]: readOnly.join(':') }),
      },
      // A control plane that is down for a while must find the work again: freeze, not kill.
      lifecycle: { onTimeout: 'pause' },
    });
  }

  async createBuilder({
    name,
    timeoutMs,
    egress,
    ...source
  }: BuilderRequest): Promise<string | undefined> {
    const metadata = { [BUILDER_KEY]: name };
    if ((await this.#list(metadata)).length > 0) return undefined;
    const sandboxId = await this.#create(source, {
      timeoutMs,
      metadata,
      network: this.#network(egress),
    });
    // Two may have checked at the same moment: both see the same oldest one, and the other is destroyed.
    const [oldest] = await this.#list(metadata);
    if (oldest === undefined || oldest === sandboxId) return sandboxId;
    await this.destroy(sandboxId);
    return undefined;
  }

  async capture(sandboxId: string, name: string): Promise<void> {
    await Sandbox.createSnapshot(sandboxId, {
      ...this.#connection,
      requestTimeoutMs: CAPTURE_TIMEOUT_MS,
      name,
    });
  }

  hasCaptured(name: string): Promise<boolean> {
    return this.#timed((connection) => Template.exists(name, connection));
  }

  async forget(name: string): Promise<void> {
    await this.#timed((connection) => Sandbox.deleteSnapshot(name, connection));
  }

  async buildOf(template: string): Promise<string> {
    const name = this.#template ?? template;
    const tags = await this.#timed((connection) => Template.getTags(name, connection));
    return tags.find(({ tag }) => tag === 'default')?.buildId ?? tags[0]?.buildId ?? '';
  }

  findAll(sessionId: SessionId): Promise<string[]> {
    return this.#list({ [SESSION_KEY]: sessionId });
  }

  async #create({ template, preferred = [] }: Source, options: SandboxOpts): Promise<string> {
    const createFrom = async (name: string) => {
      const sandbox = await this.#timed((connection) =>
        Sandbox.create(name, { ...connection, ...options }),
      );
      return this.#remember(sandbox);
    };
    for (const name of preferred) if (await this.hasCaptured(name)) return createFrom(name);
    return createFrom(this.#template ?? template);
  }

  /** Oldest first, in the same order for every caller. */
  async #list(metadata: Record<string, string>): Promise<string[]> {
    const query = { metadata };
    const found = await this.#timed((connection) =>
      Sandbox.list({ ...connection, query }).nextItems(),
    );
    return found
      .toSorted(
        (a, b) =>
          a.startedAt.getTime() - b.startedAt.getTime() || (a.sandboxId < b.sandboxId ? -1 : 1),
      )
      .map(({ sandboxId }) => sandboxId);
  }

  async presence(sandboxId: string): Promise<SandboxPresence> {
    try {
      const { state, metadata } = await this.#timed((connection) =>
        Sandbox.getInfo(sandboxId, connection),
      );
      if (state === 'running') return 'running';
      return metadata[MEMORY_KEY] === 'dropped' ? 'asleep' : 'frozen';
    } catch (error) {
      if (error instanceof SandboxNotFoundError) return 'absent';
      throw error;
    }
  }

  async wake(sandboxId: string, timeoutMs: number): Promise<void> {
    this.#remember(
      await this.#timed((connection) => Sandbox.connect(sandboxId, { ...connection, timeoutMs })),
    );
  }

  async freeze(sandboxId: string): Promise<void> {
    this.#connected.delete(sandboxId);
    await this.#timed((connection) => Sandbox.pause(sandboxId, connection));
  }

  async markEvictable(sandboxId: string): Promise<void> {
    const { apiUrl, apiKey } = this.#connection;
    // Only the local server shares its memory with others; E2B's cloud has no such call.
    if (apiUrl === undefined) return;
    const url = `${apiUrl}/ship/sandboxes/${encodeURIComponent(sandboxId)}/evictable`;
    const ask = sandboxFetch({ url: apiUrl, headers: {} }, {});
    const { status } = await this.#timed(({ signal }) =>
      ask(url, { method: 'POST', headers: { 'x-api-key': apiKey }, ...(signal && { signal }) }),
    );
    // Paused, destroyed, or at a server without this call: there is nothing to mark.
    if (status >= 500)
      throw Object.assign(new Error('the sandbox service did not mark it'), { status });
  }

  async sleep(sandboxId: string): Promise<void> {
    this.#connected.delete(sandboxId);
    await this.#timed((connection) =>
      Sandbox.pause(sandboxId, { ...connection, keepMemory: false }),
    );
  }

  async destroy(sandboxId: string): Promise<void> {
    this.#connected.delete(sandboxId);
    await this.#timed((connection) => Sandbox.kill(sandboxId, connection));
  }

  async limitEgress(sandboxId: string, egress: Egress): Promise<void> {
    await this.#timed((connection) =>
      Sandbox.updateNetwork(sandboxId, this.#network(egress), connection),
    );
  }

  #network(egress: Egress): ReturnType<typeof networkRules> {
    const isLocal = this.#connection.apiUrl !== undefined;
    return networkRules(egress, { isLocal, always: this.#always });
  }

  run(sandboxId: string, command: CommandRequest): Promise<CommandOutcome> {
    return this.#with(sandboxId, (sandbox) => runBounded(sandbox, command, CALL_OPTIONS));
  }

  start(sandboxId: string, command: BackgroundRequest): Promise<void> {
    return this.#with(sandboxId, async (sandbox) => {
      const handle = await sandbox.commands.run(quoteArgv(command.argv), {
        ...optionsOf(command),
        ...CALL_OPTIONS,
        background: true,
        // The SDK's default would end the program after a minute.
        timeoutMs: 0,
      });
      await handle.disconnect();
    });
  }

  async reach(sandboxId: string, port: number): Promise<PortAddress> {
    const { sandboxUrl } = this.#connection;
    if (sandboxUrl !== undefined) {
      const headers = { 'E2b-Sandbox-Id': sandboxId, 'E2b-Sandbox-Port': String(port) };
      return { url: sandboxUrl, headers };
    }
    const sandbox = await this.#connect(sandboxId);
    return { url: `https://${sandbox.getHost(port)}`, headers: {} };
  }

  readFile(sandboxId: string, path: string): Promise<string> {
    const options = { ...CALL_OPTIONS, format: 'stream' } as const;
    return this.#with(sandboxId, async ({ files }) => readText(await files.read(path, options)));
  }

  async writeFile(sandboxId: string, path: string, content: string): Promise<void> {
    await this.#with(sandboxId, (sandbox) => sandbox.files.write(path, content, CALL_OPTIONS));
  }

  /** Drops the connection after a failure: the sandbox may be another process, or paused. */
  async #with<Value>(sandboxId: string, use: (sandbox: Sandbox) => Promise<Value>): Promise<Value> {
    try {
      return await use(await this.#connect(sandboxId));
    } catch (error) {
      this.#connected.delete(sandboxId);
      throw error;
    }
  }

  /**
   * Runs a call with a timer that ends with it. The SDK's own timer runs on for its whole minute, and keeps a session's object
   * awake and in memory that long after every call.
   */
  async #timed<Value>(
    call: (connection: E2bConnection & ConnectionOpts) => Promise<Value>,
  ): Promise<Value> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(timeoutError()), ANSWER_TIMEOUT_MS);
    try {
      return await call({ ...this.#connection, requestTimeoutMs: 0, signal: late.signal });
    } finally {
      clearTimeout(timer);
    }
  }

  #remember(sandbox: Sandbox): string {
    this.#connected.set(sandbox.sandboxId, Promise.resolve(sandbox));
    return sandbox.sandboxId;
  }

  #connect(sandboxId: string): Promise<Sandbox> {
    const known = this.#connected.get(sandboxId);
    if (known !== undefined) return known;
    const connecting = Sandbox.connect(sandboxId, this.#connection);
    this.#connected.set(sandboxId, connecting);
    return connecting;
  }
}

type Source = Pick<SandboxRequest, 'template' | 'preferred'>;

function timeoutError(): Error {
  return new DOMException('The sandbox service does not answer.', 'TimeoutError');
}
