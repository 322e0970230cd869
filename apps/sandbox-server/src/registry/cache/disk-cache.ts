import { createHash, randomBytes } from 'node:crypto';
import {
  mkdir,
  open,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  statfs,
  utimes,
  type FileHandle,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

import { z } from 'zod';

import { writeAtomically } from '../../store/atomic-file.ts';
import { RegistryError, UpstreamError } from '../errors.ts';
import { LruIndex } from './lru-index.ts';

const fileSchema = z.object({
  url: z.string(),
  /** `ALGORITHM-HEX`, the strongest that the index provides. */
  digest: z.string().optional(),
});
export type IndexedFile = z.output<typeof fileSchema>;

const entrySchema = z.object({
  blob: z.string().regex(/^[0-9a-f]{64}$/),
  size: z.number(),
  contentType: z.string(),
  fetchedAtMs: z.number(),
  freshMs: z.number(),
  etag: z.string().optional(),
  lastModified: z.string().optional(),
  /** Files that an index lists, by the name under which the gateway serves them. */
  files: z.record(z.string(), fileSchema).optional(),
});
export type CacheEntry = z.output<typeof entrySchema>;

export interface Digest {
  algorithm: 'sha1' | 'sha256' | 'sha384' | 'sha512';
  hex: string;
}
export interface Stored {
  blob: string;
  size: number;
}

interface CacheOptions {
  folder: string;
  maxBytes: number;
  /** Free space of the file system; below it nothing more is stored. */
  minFreeBytes: number;
}

const DISK_CHECK_INTERVAL_BYTES = 16 * 1_048_576;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * A content-addressed store, with entries that refer to its files. Only this process sees the folder: no sandbox mounts
 * it. A file appears atomically, by a rename, after its content was verified; the least recently used ones are evicted.
 */
export class DiskCache {
  readonly #options: CacheOptions;
  readonly #lru: LruIndex;
  #incomingBytes = 0;

  constructor(options: CacheOptions) {
    this.#options = options;
    this.#lru = new LruIndex(options.maxBytes, (name) => {
      void rm(join(options.folder, name), { force: true });
    });
  }

  async open(): Promise<void> {
    const { folder } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await rm(join(folder, 'arriving'), { recursive: true, force: true });
    for (const name of ['arriving', 'blobs', 'entries'])
      await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
    const found: { name: string; size: number; usedMs: number }[] = [];
    for (const kind of ['blobs', 'entries']) {
      for (const file of await readdir(join(folder, kind))) {
        const name = join(kind, file);
        if (file.endsWith('.tmp')) await rm(join(folder, name), { force: true });
        else {
          const { size, mtimeMs } = await stat(join(folder, name));
          found.push({ name, size, usedMs: mtimeMs });
        }
      }
    }
    this.#lru.load(found);
  }

  get usedBytes(): number {
    return this.#lru.totalBytes;
  }

  async entry(key: string): Promise<CacheEntry | undefined> {
    const name = join('entries', sha256(key));
    try {
      const text = await readFile(join(this.#options.folder, name), 'utf8');
      const entry = entrySchema.parse(JSON.parse(text));
      this.#used(name);
      return entry;
    } catch {
      // Missing, evicted or damaged: fetch it again.
      return undefined;
    }
  }

  async putEntry(key: string, entry: CacheEntry): Promise<void> {
    const name = join('entries', sha256(key));
    const text = JSON.stringify(entry);
    await writeAtomically(join(this.#options.folder, name), text);
    this.#lru.add(name, text.length);
  }

  /** Undefined when it was evicted, or is incomplete. */
  async openBlob({ blob, size }: Stored): Promise<FileHandle | undefined> {
    const name = join('blobs', blob);
    let file: FileHandle | undefined;
    try {
      file = await open(join(this.#options.folder, name), 'r');
      if ((await file.stat()).size === size) {
        this.#used(name);
        return file;
      }
      await file.close();
    } catch {
      await file?.close();
    }
    return undefined;
  }

  async readText(stored: Stored): Promise<string | undefined> {
    const file = await this.openBlob(stored);
    if (file === undefined) return undefined;
    try {
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  }

  /** Stores a whole stream or nothing. With `expected`, refuses content of another hash. */
  async store(body: Readable, maxBytes: number, expected?: Digest): Promise<Stored> {
    const arriving = join(this.#options.folder, 'arriving', randomBytes(12).toString('hex'));
    const content = createHash('sha256');
    const promised = expected === undefined ? undefined : createHash(expected.algorithm);
    let size = 0;
    let checkedAt = -DISK_CHECK_INTERVAL_BYTES;
    const file = await open(arriving, 'wx', 0o400);
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        size += chunk.length;
        this.#incomingBytes += chunk.length;
        if (size > maxBytes)
          throw new RegistryError(
            413,
            'The package is larger than the limit of the registry gateway',
          );
        if (this.#incomingBytes > this.#options.maxBytes)
          throw new RegistryError(507, 'The registry gateway has too many downloads in progress');
        if (size - checkedAt >= DISK_CHECK_INTERVAL_BYTES) {
          await this.#needDisk();
          checkedAt = size;
        }
        content.update(chunk);
        promised?.update(chunk);
        await file.writeFile(chunk);
      }
      if (promised !== undefined && promised.digest('hex') !== expected?.hex)
        throw new RegistryError(
          424,
          'The package does not match the checksum in its registry, so it is not used',
        );
      const blob = content.digest('hex');
      const name = join('blobs', blob);
      await rename(arriving, join(this.#options.folder, name));
      this.#lru.add(name, size);
      return { blob, size };
    } catch (error) {
      await rm(arriving, { force: true });
      if (error instanceof RegistryError) throw error;
      throw new UpstreamError(
        'The package registry closed the connection before its answer was complete',
      );
    } finally {
      body.destroy();
      this.#incomingBytes -= size;
      await file.close();
    }
  }

  async #needDisk(): Promise<void> {
    const { folder, minFreeBytes } = this.#options;
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < minFreeBytes)
      throw new RegistryError(
        507,
        'The disk of this machine is nearly full; the registry gateway stores no more files',
      );
  }

  #used(name: string): void {
    if (!this.#lru.touch(name)) return;
    const now = new Date();
    void utimes(join(this.#options.folder, name), now, now).catch(() => undefined);
  }
}
