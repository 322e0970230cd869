import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { z } from 'zod';

import { stageFile, writeAtomically } from './atomic-file.ts';

/** A record that is safe on disk but does not count yet. */
export interface StagedRecord<T> {
  /** `exact` is visible at once; what was staged counts on disk when it resolves. */
  commit(exact: T): Promise<void>;
  discard(): Promise<void>;
}

/**
 * A folder of small JSON files, one per record, all of them also in memory.
 *
 * Files and not a database: records are read only at start, there are hundreds and not millions of them, each is written
 * whole by an atomic rename, and a damaged one is set aside alone where a damaged database would take all with it.
 */
export class RecordStore<T extends { id: string }> {
  readonly #folder: string;
  readonly #schema: z.ZodType<T>;
  readonly #records = new Map<string, T>();
  /** Writes of one record happen in the order in which they were asked for; the newest must win on disk too. */
  readonly #writes = new Map<string, Promise<void>>();

  constructor(folder: string, schema: z.ZodType<T>) {
    this.#folder = folder;
    this.#schema = schema;
  }

  /** Reads everything; returns the names of files that could not be read, which were renamed out of the way. */
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

  /** Visible at once, on disk when it resolves. */
  put(record: T): Promise<void> {
    this.#records.set(record.id, record);
    return this.#queue(record.id, async () => {
      await writeAtomically(this.#path(record.id), JSON.stringify(record));
    });
  }

  /** For a record that will be true soon: the slow part of `put` is done while that happens. */
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
