/**
 * The object's one alarm. Writing it costs a disk write, so one that rings early is left alone: the object then looks at
 * its plan once more and sets the right one.
 */
export class Alarm {
  readonly #storage: DurableObjectStorage;
  #at: number | null | undefined;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Rings by then at the latest. */
  noLaterThan(atMs: number): void {
    if (this.#at !== undefined && this.#at !== null && this.#at <= atMs) return;
    this.#at = atMs;
    void this.#storage.setAlarm(atMs);
  }

  /** When there is something to do next. Null: nothing will happen by itself; an alarm that is set rings in vain. */
  set(atMs: number | null): void {
    if (atMs !== null) this.noLaterThan(atMs);
  }

  /** The platform has taken it off. */
  rang(): void {
    this.#at = null;
  }
}
