/** Which files of a cache are there and which of them were used last. Pure, but for the callback that evicts. */
interface FoundFile {
  name: string;
  size: number;
  usedMs: number;
}

const BLOCK_BYTES = 4_096;
const NOTE_USE_EVERY_MS = 60_000;

export class Recency {
  readonly #maxBytes: number;
  readonly #evict: (name: string) => void;
  /** In order of use, the least recent first. */
  readonly #files = new Map<string, { bytes: number; notedMs: number }>();
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
    // By blocks: a million empty files take room, too.
    const bytes = Math.max(1, Math.ceil(size / BLOCK_BYTES)) * BLOCK_BYTES;
    this.#files.set(name, { bytes, notedMs: Date.now() });
    this.#totalBytes += bytes;
    for (const [oldest] of this.#files) {
      if (this.#totalBytes <= this.#maxBytes) return;
      this.#remove(oldest);
      this.#evict(oldest);
    }
  }

  /** True when the use should be stored on disk, which is not worth it at every use. */
  touch(name: string): boolean {
    const file = this.#files.get(name);
    if (file === undefined) return false;
    this.#files.delete(name);
    this.#files.set(name, file);
    if (Date.now() - file.notedMs < NOTE_USE_EVERY_MS) return false;
    file.notedMs = Date.now();
    return true;
  }

  #remove(name: string): void {
    const file = this.#files.get(name);
    if (file === undefined) return;
    this.#files.delete(name);
    this.#totalBytes -= file.bytes;
  }
}
