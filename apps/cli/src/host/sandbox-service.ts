import {
  type OpeningSandboxServer,
  openSandboxServer,
  type SandboxServerOptions,
} from '@ship/sandbox-server';
import type { PartHealth, PartState } from '@ship/protocol';
import type { DataFolder } from './data-folder.ts';
import { LogFile } from './log-file.ts';

/** The addresses for the control plane, named as in E2B's SDK. */
export interface SandboxAddresses {
  apiUrl: string;
  sandboxUrl: string;
  apiKey: string;
}

/** The machine's resources that sandboxes get. */
interface SandboxResources extends Pick<SandboxServerOptions, 'toolchains' | 'templatesDir'> {
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
 * The sandbox server in the host's process. On a machine that cannot isolate, the web app still starts, shows the reason and the
 * fix, and shows past sessions.
 */
export class SandboxService {
  readonly #data: DataFolder;
  readonly #port: number;
  readonly #share: SandboxResources;
  #server: OpeningSandboxServer | undefined;
  #starting: Promise<void> | undefined;
  readonly #abort = new AbortController();
  #state: PartState = 'down';
  #since = Date.now();
  #detail: string | null = null;

  constructor(data: DataFolder, port: number, share: SandboxResources) {
    this.#data = data;
    this.#port = port;
    this.#share = share;
  }

  health(): PartHealth {
    const since = new Date(this.#since).toISOString();
    return { name: 'sandboxes', state: this.#state, since, restarts: 0, detail: this.#detail };
  }

  /** Returns valid addresses immediately; the server answers "not ready" until it is. Undefined when it cannot listen. */
  async open(): Promise<SandboxAddresses | undefined> {
    this.#setState(
      'starting',
      'Preparing the base template; the first time takes a little longer.',
    );
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
        // The only two gateways from a sandbox to the control plane.
        gateways: { models: controlPlane, git: controlPlane },
        log: (entry) => {
          log.write(JSON.stringify(entry));
          if (entry.sandboxId === undefined) this.#printProgress(entry.message);
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

  /** Resolves when the server is ready or has failed; health has the reason. */
  async untilSettled(): Promise<void> {
    await this.#starting;
  }

  /** Stops the processes in all sandboxes and keeps their files. */
  async stop(): Promise<void> {
    // Also aborts a template build and the sandbox of its setup script.
    this.#abort.abort(new Error('Ship was stopped while it started.'));
    await this.#starting;
    await this.#server?.close('stop');
    this.#setState('down', null);
  }

  async #settle(ready: Promise<void>): Promise<void> {
    try {
      await ready;
      this.#setState('up', null);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#setState('down', error instanceof Error ? error.message : String(error));
  }

  /** Shows the progress of the first template build, which takes seconds. */
  #printProgress(message: string): void {
    if (this.#state === 'starting' && message.startsWith('template '))
      process.stdout.write(`ship: ${message}\n`);
  }

  #setState(state: PartState, detail: string | null): void {
    this.#state = state;
    this.#detail = detail;
    this.#since = Date.now();
  }
}
