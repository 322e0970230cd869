import {
  type OpeningSandboxServer,
  openSandboxServer,
  type SandboxServerOptions,
} from '@ship/sandbox-server';
import type { PartHealth, PartState } from '@ship/protocol';
import type { DataFolder } from './data-folder.ts';
import { LogFile } from './log-file.ts';

/** How the control plane reaches it, in the words of E2B's SDK. */
export interface SandboxAddresses {
  apiUrl: string;
  sandboxUrl: string;
  apiKey: string;
}

/** What sandboxes get of this machine. */
interface MachineShare extends Pick<SandboxServerOptions, 'toolchains' | 'templatesDir'> {
  /** Folders that every sandbox sees, read-only. */
  shared: { source: string; target: string }[];
  network: {
    allow: readonly string[];
    upstreamProxy: { https?: string; http?: string; noProxy?: string };
    certificateFiles: string[];
  };
  registryGateway: boolean;
}

/**
 * The sandbox server, in the host's own process. A machine that cannot isolate gets a page that says so and how to mend
 * it: sessions of the past can still be read there.
 */
export class SandboxService {
  readonly #data: DataFolder;
  readonly #port: number;
  readonly #share: MachineShare;
  #server: OpeningSandboxServer | undefined;
  #starting: Promise<void> | undefined;
  readonly #abort = new AbortController();
  #state: PartState = 'down';
  #since = Date.now();
  #detail: string | null = null;

  constructor(data: DataFolder, port: number, share: MachineShare) {
    this.#data = data;
    this.#port = port;
    this.#share = share;
  }

  health(): PartHealth {
    const since = new Date(this.#since).toISOString();
    return { name: 'sandboxes', state: this.#state, since, restarts: 0, detail: this.#detail };
  }

  /** Its addresses are good at once; until it is ready it answers that it is not. Undefined when it cannot listen. */
  async open(): Promise<SandboxAddresses | undefined> {
    this.#become('starting', 'Preparing the base template; the first time this takes a little.');
    const log = new LogFile(this.#data.folder('logs'), 'sandboxes.log');
    const apiKey = this.#data.secret('sandbox-api-key');
    const { network, registryGateway, ...share } = this.#share;
    const { allow, upstreamProxy, certificateFiles } = network;
    const controlPlane = { address: `http://127.0.0.1:${this.#port}` };
    try {
      this.#server = await openSandboxServer({
        apiKey,
        signal: this.#abort.signal,
        dataDir: this.#data.folder('sandboxes'),
        domain: `ship.localhost:${this.#port}`,
        ...share,
        egress: { allow: [...allow], upstreamProxy },
        certificateFiles,
        registries: { enabled: registryGateway },
        // The only two doors out of a sandbox that lead to us.
        gateways: { models: controlPlane, git: controlPlane },
        log: (entry) => {
          log.write(JSON.stringify(entry));
          if (entry.sandboxId === undefined) this.#tell(entry.message);
        },
      });
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
    this.#starting = this.#settle(this.#server.ready);
    const { apiUrl, sandboxUrl } = this.#server;
    return { apiUrl, sandboxUrl, apiKey };
  }

  /** Also when it is settled that it cannot start: health says why. */
  async untilSettled(): Promise<void> {
    await this.#starting;
  }

  /** Ends the processes in all sandboxes and keeps their files. */
  async stop(): Promise<void> {
    // Told to stop while the first template is being built: that is ended, with the sandbox of its setup script.
    this.#abort.abort(new Error('Ship was stopped while it started.'));
    await this.#starting;
    await this.#server?.close('stop');
    this.#become('down', null);
  }

  async #settle(ready: Promise<void>): Promise<void> {
    try {
      await ready;
      this.#become('up', null);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#become('down', error instanceof Error ? error.message : String(error));
  }

  /** Building the template takes seconds the first time: whoever waits should see why. */
  #tell(message: string): void {
    if (this.#state === 'starting' && message.startsWith('template '))
      process.stdout.write(`ship: ${message}\n`);
  }

  #become(state: PartState, detail: string | null): void {
    this.#state = state;
    this.#detail = detail;
    this.#since = Date.now();
  }
}
