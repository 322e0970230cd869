/** For all sessions together; about 100 bytes per object. */
const MAX_OBJECTS = 200_000;

/**
 * Objects that the forge listed for a session as tips of visible refs. Kept for the requests that follow a list, so that they
 * need no second one, and so that a branch which moves in between can still be fetched. Only a cache.
 */
export class ShownObjects {
  readonly #maxObjects: number;
  readonly #bySession = new Map<string, Set<string>>();
  #count = 0;

  constructor(maxObjects = MAX_OBJECTS) {
    this.#maxObjects = maxObjects;
  }

  has(key: string, object: string): boolean {
    return this.#bySession.get(key)?.has(object) === true;
  }

  add(key: string, object: string): void {
    const known = this.#bySession.get(key) ?? new Set();
    // Most recently used sessions come last.
    this.#bySession.delete(key);
    this.#bySession.set(key, known);
    if (known.has(object)) return;
    this.#evictOthers(key);
    if (this.#count >= this.#maxObjects) return;
    known.add(object);
    this.#count += 1;
  }

  #evictOthers(key: string): void {
    for (const [other, objects] of this.#bySession) {
      if (this.#count < this.#maxObjects || other === key) return;
      this.#bySession.delete(other);
      this.#count -= objects.size;
    }
  }
}
