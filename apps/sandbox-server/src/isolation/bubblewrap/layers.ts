/** Shared read-only layers: templates and snapshots. A layer stays as long as something stands on it. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { assertSafeName, type Layout } from './layout.ts';
import { removeTree } from './remove-tree.ts';

interface LayerRecord {
  /** The layers below, top first. */
  lowers: string[];
  /** Asked to go, but still stood upon. */
  isRemoved?: boolean;
}

export class Layers {
  readonly #layout: Layout;

  readonly #unshare: string;

  constructor(layout: Layout, unshare: string) {
    this.#layout = layout;
    this.#unshare = unshare;
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

  /** A folder to fill; it becomes a layer only through `publish`, so a crash leaves no half layer under a real name. */
  async stage(name: string): Promise<string> {
    assertSafeName('layer name', name);
    const folder = join(this.#layout.layers, `.new-${name}`);
    await removeTree(folder, this.#unshare);
    mkdirSync(folder, { mode: 0o755 });
    return folder;
  }

  publish(name: string, lowers: readonly string[]): void {
    const staged = join(this.#layout.layers, `.new-${name}`);
    const record: LayerRecord = { lowers: [...lowers] };
    writeFileSync(join(staged, 'layer.json'), JSON.stringify(record));
    const final = join(this.#layout.layers, name);
    if (existsSync(final))
      throw new Error(`layer ${JSON.stringify(name)} exists already; choose another name`);
    renameSync(staged, final);
  }

  /** Marks the layer and removes whatever nothing stands on any more. `inUse` are the lowers of all sandboxes. */
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
      await removeTree(join(this.#layout.layers, name), this.#unshare);
    }
  }

  #read(name: string): LayerRecord | undefined {
    assertSafeName('layer name', name);
    try {
      return JSON.parse(
        readFileSync(join(this.#layout.layers, name, 'layer.json'), 'utf8'),
      ) as LayerRecord;
    } catch {
      return undefined;
    }
  }

  #write(name: string, record: LayerRecord): void {
    const file = join(this.#layout.layers, name, 'layer.json');
    writeFileSync(`${file}.new`, JSON.stringify(record));
    renameSync(`${file}.new`, file);
  }
}
