/** Serializes operations per sandbox: a kill must not overtake the start that it would undo. */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<void>>();

  async run<T>(key: string, operation: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const gate = Promise.withResolvers<void>();
    this.#tails.set(key, gate.promise);
    try {
      await before;
      return await operation();
    } finally {
      gate.resolve();
      if (this.#tails.get(key) === gate.promise) this.#tails.delete(key);
    }
  }

  /** Resolves when no operation is in progress for any key. */
  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values());
  }
}
