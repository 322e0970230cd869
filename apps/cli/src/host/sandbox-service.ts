import { type SandboxServer, startSandboxServer } from '@ship/sandbox-server';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PartHealth, PartState } from '@ship/protocol';
import type { DataFolder } from './data-folder.ts';
import { LogFile } from './log-file.ts';

const START_GRACE_MS = 2_000;

/**
 * The sandbox server, in the host's own process. A machine that cannot isolate gets a page that says so and how to mend
 * it: sessions of the past can still be read there.
 */
export class SandboxService {
  readonly #data: DataFolder;
  readonly #port: number;
  #server: SandboxServer | undefined;
  #starting: Promise<void> | undefined;
  #isSettingUp = false;
  #state: PartState = 'down';
  #since = Date.now();
  #detail: string | null = null;

  constructor(data: DataFolder, port: number) {
    this.#data = data;
    this.#port = port;
  }

  health(): PartHealth {
    const since = new Date(this.#since).toISOString();
    return { name: 'sandboxes', state: this.#state, since, restarts: 0, detail: this.#detail };
  }

  start(): Promise<void> {
    this.#starting = this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    this.#become('starting', 'Preparing the base template; the first time this takes a little.');
    const log = new LogFile(this.#data.folder('logs'), 'sandboxes.log');
    try {
      this.#server = await startSandboxServer({
        apiKey: this.#data.secret('sandbox-api-key'),
        dataDir: this.#data.folder('sandboxes'),
        domain: `ship.localhost:${this.#port}`,
        log: (entry) => {
          log.write(JSON.stringify(entry));
          this.#isSettingUp = entry.message.endsWith('running setup.sh');
          if (entry.sandboxId === undefined) this.#tell(entry.message);
        },
      });
      this.#become('up', null);
    } catch (error) {
      this.#become('down', error instanceof Error ? error.message : String(error));
    }
  }

  /** Ends the processes in all sandboxes and keeps their files. */
  async stop(): Promise<void> {
    // Told to stop while the first template is still being built: what is half built is removed at the next start.
    await Promise.race([this.#starting, sleep(START_GRACE_MS, undefined, { ref: false })]);
    // Its setup script runs in a sandbox, which would outlive us: that stage alone is waited for.
    if (this.#server === undefined && this.#isSettingUp) {
      await Promise.race([this.#starting, sleep(START_GRACE_MS, undefined, { ref: false })]);
    }
    await this.#server?.close('stop');
    this.#become('down', null);
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
