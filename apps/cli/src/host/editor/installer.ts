import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostEditor } from '@ship/protocol';
import { folderMegabytes, settle } from './tree.ts';

export type InstallStep = 'download' | 'parts';

/** Installs VS Code into an empty folder, as `node_modules/code-server`. */
export type InstallPackage = (folder: string, progress: InstallProgress) => Promise<void>;

export interface InstallProgress {
  onStep: (step: InstallStep) => void;
  /** Kept after a failure, so that the next attempt does not download everything again. */
  cacheFolder: string;
  signal: AbortSignal;
}

interface InstallerOptions {
  folder: string;
  version: string;
  installPackage: InstallPackage;
}

const ENTRY = 'node_modules/code-server/out/node/entry.js';
const MEASURE_EVERY_MS = 1_000;
const STAGING = 'staging-';

/** The copy of VS Code that all sandboxes of this machine share, installed atomically on first use. */
export class EditorInstaller {
  /** Mounted in every sandbox, also before anything is installed. */
  readonly sharedFolder: string;
  readonly #options: InstallerOptions;
  readonly #abort = new AbortController();
  #work: Promise<void> | undefined;
  #status: HostEditor;

  constructor(options: InstallerOptions) {
    this.#options = options;
    this.sharedFolder = join(options.folder, 'shared');
    mkdirSync(this.sharedFolder, { recursive: true, mode: 0o755 });
    this.#status = { state: this.#isInstalled() ? 'ready' : 'absent' };
  }

  status(): HostEditor {
    // The owner may remove it to free space; then it can be installed again.
    if (this.#status.state === 'ready' && !this.#isInstalled()) this.#status = { state: 'absent' };
    return this.#status;
  }

  /** Starts the installation. No effect while it runs or when it is done; after a failure it retries. */
  install(): HostEditor {
    const { state } = this.status();
    if (state === 'ready' || state === 'installing' || this.#abort.signal.aborted)
      return this.#status;
    this.#enter('download');
    this.#work = this.#run();
    return this.#status;
  }

  async stop(): Promise<void> {
    this.#abort.abort(new Error('Ship was stopped.'));
    await this.#work;
  }

  async #run(): Promise<void> {
    const { folder, installPackage, version } = this.#options;
    const { signal } = this.#abort;
    const cacheFolder = join(folder, 'cache');
    let staging: string | undefined;
    const timer = setInterval(() => void this.#measure(staging), MEASURE_EVERY_MS);
    try {
      await this.#removeStaging();
      staging = await mkdtemp(join(folder, STAGING));
      signal.throwIfAborted();
      await installPackage(staging, { onStep: (step) => this.#enter(step), cacheFolder, signal });
      if (!existsSync(join(staging, ENTRY))) throw new Error('the package is not VS Code');
      await settle(staging);
      signal.throwIfAborted();
      // Atomic rename: a sandbox sees the whole installation or nothing, even if this process dies.
      renameSync(staging, join(this.sharedFolder, version));
      this.#status = { state: 'ready' };
      await this.#removeOthers();
      await rm(cacheFolder, { recursive: true, force: true });
    } catch (error) {
      // A failed cleanup does not make the installation unusable.
      if (this.#isInstalled()) return;
      const reason = error instanceof Error ? error.message : String(error);
      this.#status = { state: 'failed', reason: reason.slice(0, 300) };
      await this.#removeStaging().catch(() => undefined);
    } finally {
      clearInterval(timer);
    }
  }

  #isInstalled(): boolean {
    return existsSync(join(this.sharedFolder, this.#options.version, ENTRY));
  }

  #enter(step: InstallStep): void {
    const megabytes = this.#status.state === 'installing' ? this.#status.megabytes : 0;
    this.#status = { state: 'installing', step, since: Date.now(), megabytes };
  }

  async #measure(staging: string | undefined): Promise<void> {
    const megabytes = staging === undefined ? undefined : await folderMegabytes(staging);
    if (megabytes !== undefined && this.#status.state === 'installing')
      this.#status = { ...this.#status, megabytes };
  }

  /** Removes what killed installations left; the data folder has one owner at a time. */
  async #removeStaging(): Promise<void> {
    const { folder } = this.#options;
    for (const name of readdirSync(folder).filter((one) => one.startsWith(STAGING)))
      await rm(join(folder, name), { recursive: true, force: true });
  }

  /** Removes the versions of earlier releases of Ship. */
  async #removeOthers(): Promise<void> {
    const { version } = this.#options;
    for (const name of readdirSync(this.sharedFolder).filter((one) => one !== version))
      await rm(join(this.sharedFolder, name), { recursive: true, force: true });
  }
}
