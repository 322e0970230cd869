/**
 * Events of a folder, in E2B's terms. Node reports only "renamed" and "changed" with a name, so each entry is
 * compared with its last known state: a vanished inode that appears under another name was renamed, a new ctime
 * with unchanged contents means a change of mode or owner.
 */
import { watch, type FSWatcher } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export type EventType = 'CREATE' | 'WRITE' | 'REMOVE' | 'RENAME' | 'CHMOD';

export interface TreeEvent {
  /** Relative to the watched folder. */
  name: string;
  type: EventType;
}

interface EntryState {
  inode: bigint;
  isFolder: boolean;
  modifiedNs: bigint;
  changedNs: bigint;
  size: bigint;
}

/** The second half of a rename is reported right after the first; a vanished entry waits this long for it. */
const RENAME_WINDOW_MS = 20;
/** Each folder costs a kernel watch and each entry a record. */
const MAX_FOLDERS = 8192;

/** The event that turns one state of an entry into the other. */
export function compare(
  before: EntryState | undefined,
  after: EntryState | undefined,
): EventType | undefined {
  if (before === undefined) return after === undefined ? undefined : 'CREATE';
  if (after === undefined) return 'REMOVE';
  if (before.inode !== after.inode) return 'CREATE';
  if (before.modifiedNs !== after.modifiedNs || before.size !== after.size)
    return after.isFolder ? undefined : 'WRITE';
  return before.changedNs === after.changedNs ? undefined : 'CHMOD';
}

export class TreeWatcher {
  readonly #root: string;
  readonly #isRecursive: boolean;
  readonly #emit: (event: TreeEvent) => void;
  readonly #known = new Map<string, EntryState>();
  readonly #watchers = new Map<string, FSWatcher>();
  #queue: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(root: string, isRecursive: boolean, emit: (event: TreeEvent) => void) {
    this.#root = root;
    this.#isRecursive = isRecursive;
    this.#emit = emit;
  }

  /** Resolves when all further changes are observed. */
  async start(): Promise<void> {
    await this.#addFolder('', false);
  }

  close(): void {
    this.#isClosed = true;
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  async #addFolder(folder: string, announce: boolean): Promise<void> {
    if (this.#isClosed || this.#watchers.size >= MAX_FOLDERS) return;
    const watcher = watch(join(this.#root, folder), (_event, name) => {
      if (name !== null) this.#enqueue(join(folder, name));
    });
    // The folder itself was removed: its parent reports that.
    watcher.on('error', () => this.#dropFolder(folder));
    this.#watchers.set(folder, watcher);
    for (const name of await readdir(join(this.#root, folder)).catch(() => [])) {
      const path = join(folder, name);
      if (this.#known.has(path)) continue;
      const entry = await this.#readEntry(path);
      if (entry === undefined) continue;
      this.#known.set(path, entry);
      if (announce) this.#emit({ name: path, type: 'CREATE' });
      if (entry.isFolder && this.#isRecursive) await this.#addFolder(path, announce);
    }
  }

  #dropFolder(folder: string): void {
    for (const path of Array.from(this.#watchers.keys())) {
      if (path !== folder && !path.startsWith(`${folder}/`)) continue;
      this.#watchers.get(path)?.close();
      this.#watchers.delete(path);
    }
    for (const path of Array.from(this.#known.keys()))
      if (path.startsWith(`${folder}/`)) this.#known.delete(path);
  }

  /** Serialized: two checks of one entry must not overtake each other. */
  #enqueue(name: string): void {
    this.#queue = this.#queue.then(() => this.#check(name)).catch(() => {});
  }

  async #check(name: string): Promise<void> {
    if (this.#isClosed) return;
    const before = this.#known.get(name);
    const after = await this.#readEntry(name);
    const type = compare(before, after);
    if (after === undefined) this.#known.delete(name);
    else this.#known.set(name, after);
    if (type === undefined) return;
    if (type === 'REMOVE' && before !== undefined) {
      if (before.isFolder) this.#dropFolder(name);
      this.#emit({ name, type: (await this.#movedTo(before)) ? 'RENAME' : 'REMOVE' });
      return;
    }
    this.#emit({ name, type });
    // Written between its creation and this check: report both.
    if (type === 'CREATE' && after !== undefined && !after.isFolder && after.size > 0n)
      this.#emit({ name, type: 'WRITE' });
    if (type === 'CREATE' && after?.isFolder === true && this.#isRecursive)
      await this.#addFolder(name, true);
  }

  /** Whether the inode still exists under the root: then it was moved, not removed. */
  async #movedTo(gone: EntryState): Promise<boolean> {
    await new Promise((resolve) => setTimeout(resolve, RENAME_WINDOW_MS));
    for (const folder of this.#watchers.keys()) {
      const names = await readdir(join(this.#root, folder)).catch(() => []);
      for (const name of names) {
        const path = join(folder, name);
        if (this.#known.has(path)) continue;
        if ((await this.#readEntry(path))?.inode === gone.inode) return true;
      }
    }
    return false;
  }

  async #readEntry(name: string): Promise<EntryState | undefined> {
    const found = await lstat(join(this.#root, name), { bigint: true }).catch(() => undefined);
    if (found === undefined) return undefined;
    const { ino, mtimeNs, ctimeNs, size } = found;
    return {
      inode: ino,
      isFolder: found.isDirectory(),
      modifiedNs: mtimeNs,
      changedNs: ctimeNs,
      size,
    };
  }
}
