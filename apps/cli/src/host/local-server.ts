import type { PartHealth, PartState } from '@ship/protocol';

interface Closable {
  close(): Promise<void>;
}

/**
 * A local server in the host's process. When it cannot start, the others keep running, and health reports the reason.
 */
export class LocalServer<Server extends Closable> {
  readonly #name: string;
  readonly #open: () => Promise<Server>;
  #server: Server | undefined;
  #state: PartState = 'down';
  #since = Date.now();
  #detail: string | null = null;

  constructor(name: string, open: () => Promise<Server>) {
    this.#name = name;
    this.#open = open;
  }

  health(): PartHealth {
    const since = new Date(this.#since).toISOString();
    return { name: this.#name, state: this.#state, since, restarts: 0, detail: this.#detail };
  }

  /** Undefined when it could not start. */
  async start(): Promise<Server | undefined> {
    this.#setState('starting', null);
    try {
      this.#server = await this.#open();
      this.#setState('up', null);
    } catch (error) {
      this.#setState('down', error instanceof Error ? error.message : String(error));
    }
    return this.#server;
  }

  async stop(): Promise<void> {
    await this.#server?.close();
    this.#setState('down', null);
  }

  #setState(state: PartState, detail: string | null): void {
    this.#state = state;
    this.#detail = detail;
    this.#since = Date.now();
  }
}
