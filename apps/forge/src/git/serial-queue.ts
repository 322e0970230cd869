/** Runs tasks one at a time, in order. A failed task does not stop the next one. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when all tasks queued so far are done. */
  async idle(): Promise<void> {
    await this.#last;
  }
}

/** One queue per key: work on a repository waits for earlier work on it, never for another repository. */
export class SerialQueues {
  readonly #queues = new Map<number, SerialQueue>();

  of(key: number): SerialQueue {
    let queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, (queue = new SerialQueue()));
    return queue;
  }

  async idle(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.idle()));
  }
}
