import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { z } from 'zod';

import { stageFile, writeAtomically } from './atomic-file.ts';

/** A record that is synced to disk but not yet committed. */
export interface StagedRecord<T> {
  /** `exact` is visible immediately; the staged content is in effect on disk when this resolves. */
  commit(exact: T): Promise<void>;
  discard(): Promise<void>;
}

/**
 * A folder of small JSON files, one per record, cached in memory.
 *
 * Files instead of a database: records are read only at start, there are hundreds and not millions of them, each is written
 * by an atomic rename, and a damaged file is set aside alone where a damaged database would lose all records.
 */
export class RecordStore<T extends { id: string }> {
  readonly #folder: string;
  readonly #schema: z.ZodType<T>;
  readonly #records = new Map<string, T>();
  /** Serializes writes of one record in call order; the newest must win on disk too. */
  readonly #writes = new Map<string, Promise<void>>();

  constructor(folder: string, schema: z.ZodType<T>) {
    this.#folder = folder;
    this.#schema = schema;
  }

  /** Reads everything; returns the names of damaged files, which it renames. */
  async load(): Promise<{ damaged: string[] }> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const damaged: string[] = [];
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name);
      if (name.endsWith('.tmp')) await rm(path, { force: true });
      if (!name.endsWith('.json')) continue;
      const parsed = this.#parse(await readFile(path, 'utf8'));
      if (parsed === undefined || `${parsed.id}.json` !== name) {
        damaged.push(name);
        await rename(path, `${path}.damaged`);
      } else this.#records.set(parsed.id, parsed);
    }
    return { damaged };
  }

  #parse(content: string): T | undefined {
    try {
      return this.#schema.parse(JSON.parse(content));
    } catch {
      return undefined;
    }
  }

  get(id: string): T | undefined {
    return this.#records.get(id);
  }

  all(): T[] {
    return [...this.#records.values()];
  }

  /** Visible immediately; on disk when it resolves. */
  put(record: T): Promise<void> {
    this.#records.set(record.id, record);
    return this.#queue(record.id, async () => {
      await writeAtomically(this.#path(record.id), JSON.stringify(record));
    });
  }

  /** Does the slow part of `put` in advance, for a record that will become valid soon. */
  async stage(record: T): Promise<StagedRecord<T>> {
    const file = await stageFile(this.#path(record.id), JSON.stringify(record));
    return {
      discard: () => file.discard(),
      commit: (exact) => {
        this.#records.set(record.id, exact);
        return this.#queue(record.id, () => file.commit());
      },
    };
  }

  delete(id: string): Promise<void> {
    this.#records.delete(id);
    return this.#queue(id, () => rm(this.#path(id), { force: true }));
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.json`);
  }

  async #queue(id: string, write: () => Promise<void>): Promise<void> {
    const before = this.#writes.get(id);
    const mine = (async () => {
      await before?.catch(() => undefined);
      await write();
    })();
    this.#writes.set(id, mine);
    try {
      await mine;
    } finally {
      if (this.#writes.get(id) === mine) this.#writes.delete(id);
    }
  }
}
