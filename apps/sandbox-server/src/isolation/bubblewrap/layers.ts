/** Shared read-only layers: templates and snapshots. A layer stays as long as another layer or a sandbox uses it. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { assertSafeName, type Layout } from './layout.ts';
import type { FileOwner } from './file-owner.ts';
import { removeTree } from './remove-tree.ts';

interface LayerRecord {
  /** The layers below, top first. */
  lowers: string[];
  /** Removal was requested while the layer was still in use. */
  isRemoved?: boolean;
  /** A template's layer: /home/user belongs to `user` and the rest to `root`, so ownership can be released and restored. */
  hasOwnersByRule?: boolean;
}

/** While this file exists, the server's own user owns the layer's files. Written first and removed last. */
const RELEASED = 'released';

const alreadyExists = (name: string): Error =>
  new Error(`layer ${JSON.stringify(name)} exists already; choose another name`);

function parseRecord(text: string): LayerRecord | undefined {
  try {
    const record = JSON.parse(text) as Partial<LayerRecord> | null;
    const lowers: unknown = record?.lowers;
    const isValid = Array.isArray(lowers) && lowers.every((lower) => typeof lower === 'string');
    return isValid ? (record as LayerRecord) : undefined;
  } catch {
    return undefined;
  }
}

export class Layers {
  readonly #layout: Layout;

  readonly #owner: FileOwner;

  constructor(layout: Layout, owner: FileOwner) {
    this.#layout = layout;
    this.#owner = owner;
    mkdirSync(layout.layers, { recursive: true, mode: 0o755 });
  }

  /** This layer and all below it, top first. */
  stack(name: string): string[] {
    const record = this.#read(name);
    if (record === undefined || record.isRemoved === true) {
      throw new Error(
        `no layer ${JSON.stringify(name)}; build the template or take the snapshot again`,
      );
    }
    return [name, ...record.lowers];
  }

  exists(name: string): boolean {
    const record = this.#read(name);
    return record !== undefined && record.isRemoved !== true;
  }

  list(): string[] {
    const names = readdirSync(this.#layout.layers).filter((name) => !name.startsWith('.'));
    return names.filter((name) => this.exists(name));
  }

  /** A folder to fill. Only `publish` makes it a layer, so a crash leaves no partial layer under a real name. */
  async stage(name: string): Promise<string> {
    assertSafeName('layer name', name);
    await this.#clearName(name);
    const folder = this.stagedFolder(name);
    await removeTree(folder, this.#owner);
    mkdirSync(folder, { mode: 0o755 });
    return folder;
  }

  stagedFolder(name: string): string {
    return join(this.#layout.layers, `.new-${name}`);
  }

  async publish(name: string, lowers: readonly string[], hasOwnersByRule = false): Promise<void> {
    const staged = this.stagedFolder(name);
    const record: LayerRecord = {
      lowers: [...lowers],
      ...(hasOwnersByRule && { hasOwnersByRule }),
    };
    writeFileSync(join(staged, 'layer.json'), JSON.stringify(record));
    await this.#clearName(name);
    renameSync(staged, join(this.#layout.layers, name));
  }

  /** A crash can leave a folder without a valid record. No sandbox can start on it, and it would block the name forever. */
  async #clearName(name: string): Promise<void> {
    const folder = join(this.#layout.layers, name);
    if (!existsSync(folder)) return;
    if (this.#readRecord(name) !== 'invalid') throw alreadyExists(name);
    await removeTree(folder, this.#owner);
  }

  /**
   * Returns the files of templates to the server's own user, so that a plain `rm -rf` can delete a data folder without
   * sandboxes. No sandbox may run on them.
   */
  async releaseOwners(): Promise<void> {
    if (this.#owner.mode !== 'subordinate') return;
    for (const name of this.list()) {
      const folder = join(this.#layout.layers, name);
      // A copy by hard links shares its files with other data folders, whose sandboxes may be using them.
      const isShared = statSync(join(folder, 'layer.json')).nlink > 1;
      if (isShared || this.#read(name)?.hasOwnersByRule !== true) continue;
      writeFileSync(join(folder, RELEASED), '');
      await this.#owner.reclaim(join(folder, 'fs'));
    }
  }

  async claimOwners(): Promise<void> {
    for (const name of this.list()) {
      const mark = join(this.#layout.layers, name, RELEASED);
      if (!existsSync(mark)) continue;
      await this.#owner.assign(join(this.#layout.layers, name, 'fs'));
      rmSync(mark);
    }
  }

  /** Marks the layer as removed and deletes all marked layers that are unused. `inUse` are the lowers of all sandboxes. */
  async remove(name: string, inUse: ReadonlySet<string>): Promise<void> {
    assertSafeName('layer name', name);
    const record = this.#read(name);
    if (record !== undefined) this.#write(name, { ...record, isRemoved: true });
    await this.collect(inUse);
  }

  async collect(inUse: ReadonlySet<string>): Promise<void> {
    const names = readdirSync(this.#layout.layers).filter((name) => !name.startsWith('.'));
    const records = names.flatMap((name) => {
      const record = this.#read(name);
      return record === undefined ? [] : [{ name, record }];
    });
    const needed = new Set(inUse);
    for (const { record } of records)
      if (record.isRemoved !== true) for (const lower of record.lowers) needed.add(lower);
    for (const { name, record } of records) {
      if (record.isRemoved !== true || needed.has(name)) continue;
      await removeTree(join(this.#layout.layers, name), this.#owner);
    }
  }

  #read(name: string): LayerRecord | undefined {
    const record = this.#readRecord(name);
    return typeof record === 'string' ? undefined : record;
  }

  /** `unreadable`: the read itself failed (too many open files, a disk error), so the record may still be valid. */
  #readRecord(name: string): LayerRecord | 'invalid' | 'unreadable' {
    assertSafeName('layer name', name);
    let text: string;
    try {
      text = readFileSync(join(this.#layout.layers, name, 'layer.json'), 'utf8');
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'invalid' : 'unreadable';
    }
    return parseRecord(text) ?? 'invalid';
  }

  #write(name: string, record: LayerRecord): void {
    const file = join(this.#layout.layers, name, 'layer.json');
    writeFileSync(`${file}.new`, JSON.stringify(record));
    renameSync(`${file}.new`, file);
  }
}
