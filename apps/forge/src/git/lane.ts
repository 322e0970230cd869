/** One after another, in the order asked for. A failure of one does not stop the next. */
export class Lane {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** When everything asked for so far is done. */
  async idle(): Promise<void> {
    await this.#last;
  }
}

/** A lane for each key: work on one repository waits for other work on it, never for another repository. */
export class Lanes {
  readonly #lanes = new Map<number, Lane>();

  of(key: number): Lane {
    let lane = this.#lanes.get(key);
    if (lane === undefined) this.#lanes.set(key, (lane = new Lane()));
    return lane;
  }

  async idle(): Promise<void> {
    await Promise.all([...this.#lanes.values()].map((lane) => lane.idle()));
  }
}
