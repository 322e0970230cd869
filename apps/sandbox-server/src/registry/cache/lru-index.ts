/** LRU index of a cache's files. Pure, except for the callback that evicts. */
interface FoundFile {
  name: string;
  size: number;
  usedMs: number;
}

const BLOCK_BYTES = 4_096;
const RECORD_USE_INTERVAL_MS = 60_000;

export class LruIndex {
  readonly #maxBytes: number;
  readonly #evict: (name: string) => void;
  /** Least recently used first. */
  readonly #files = new Map<string, { bytes: number; recordedMs: number }>();
  #totalBytes = 0;

  constructor(maxBytes: number, evict: (name: string) => void) {
    this.#maxBytes = maxBytes;
    this.#evict = evict;
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  load(found: readonly FoundFile[]): void {
    for (const { name, size } of found.toSorted((a, b) => a.usedMs - b.usedMs))
      this.add(name, size);
  }

  add(name: string, size: number): void {
    this.#remove(name);
    // Counts blocks: a million empty files use space, too.
    const bytes = Math.max(1, Math.ceil(size / BLOCK_BYTES)) * BLOCK_BYTES;
    this.#files.set(name, { bytes, recordedMs: Date.now() });
    this.#totalBytes += bytes;
    for (const [oldest] of this.#files) {
      if (this.#totalBytes <= this.#maxBytes) return;
      this.#remove(oldest);
      this.#evict(oldest);
    }
  }

  /** True when the use should be recorded on disk, which is not worth it for every use. */
  touch(name: string): boolean {
    const file = this.#files.get(name);
    if (file === undefined) return false;
    this.#files.delete(name);
    this.#files.set(name, file);
    if (Date.now() - file.recordedMs < RECORD_USE_INTERVAL_MS) return false;
    file.recordedMs = Date.now();
    return true;
  }

  #remove(name: string): void {
    const file = this.#files.get(name);
    if (file === undefined) return;
    this.#files.delete(name);
    this.#totalBytes -= file.bytes;
  }
}
