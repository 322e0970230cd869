import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostEditor } from '@ship/protocol';
import { folderMegabytes, settle } from './tree.ts';

export type InstallStep = 'download' | 'parts';

/** Puts VS Code into an empty folder, as npm would: `node_modules/code-server`. */
export type Bring = (folder: string, progress: BringProgress) => Promise<void>;

export interface BringProgress {
  tell: (step: InstallStep) => void;
  /** Survives a failure, so that the next try does not begin anew. */
  cacheFolder: string;
  signal: AbortSignal;
}

interface InstallerOptions {
  folder: string;
  version: string;
  bring: Bring;
}

const ENTRY = 'node_modules/code-server/out/node/entry.js';
const MEASURE_EVERY_MS = 1_000;
const STAGING = 'staging-';

/** The one copy of VS Code that all sandboxes of this machine share: installed on first use, whole or not at all. */
export class EditorInstaller {
  /** Shown in every sandbox, from before anything is in it. */
  readonly sharedFolder: string;
  readonly #options: InstallerOptions;
  readonly #abort = new AbortController();
  #work: Promise<void> | undefined;
  #status: HostEditor;

  constructor(options: InstallerOptions) {
    this.#options = options;
    this.sharedFolder = join(options.folder, 'shared');
    mkdirSync(this.sharedFolder, { recursive: true, mode: 0o755 });
    this.#status = { state: this.#isThere() ? 'ready' : 'absent' };
  }

  status(): HostEditor {
    // Removed by its owner to make room: it can be installed again.
    if (this.#status.state === 'ready' && !this.#isThere()) this.#status = { state: 'absent' };
    return this.#status;
  }

  /** Asked again while it works, or once it is there, it does nothing; after a failure it tries again. */
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
    const { folder, bring, version } = this.#options;
    const { signal } = this.#abort;
    const cacheFolder = join(folder, 'cache');
    let staging: string | undefined;
    const timer = setInterval(() => void this.#measure(staging), MEASURE_EVERY_MS);
    try {
      await this.#removeStaging();
      staging = await mkdtemp(join(folder, STAGING));
      signal.throwIfAborted();
      await bring(staging, { tell: (step) => this.#enter(step), cacheFolder, signal });
      if (!existsSync(join(staging, ENTRY))) throw new Error('what came is not VS Code');
      await settle(staging);
      signal.throwIfAborted();
      // The only way in: a sandbox sees all of it or nothing, however this process ends.
      renameSync(staging, join(this.sharedFolder, version));
      this.#status = { state: 'ready' };
      await this.#removeOthers();
      await rm(cacheFolder, { recursive: true, force: true });
    } catch (error) {
      // What is left to tidy up does not make it less there.
      if (this.#isThere()) return;
      const reason = error instanceof Error ? error.message : String(error);
      this.#status = { state: 'failed', reason: reason.slice(0, 300) };
      await this.#removeStaging().catch(() => undefined);
    } finally {
      clearInterval(timer);
    }
  }

  #isThere(): boolean {
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

  /** Of installations that were killed half-way; the data folder has one owner at a time. */
  async #removeStaging(): Promise<void> {
    const { folder } = this.#options;
    for (const name of readdirSync(folder).filter((one) => one.startsWith(STAGING)))
      await rm(join(folder, name), { recursive: true, force: true });
  }

  /** Of earlier versions of Ship: nobody starts them any more. */
  async #removeOthers(): Promise<void> {
    const { version } = this.#options;
    for (const name of readdirSync(this.sharedFolder).filter((one) => one !== version))
      await rm(join(this.sharedFolder, name), { recursive: true, force: true });
  }
}
