import type { Fault } from '../script/fault.ts';

/** Steps that are remembered; the oldest is forgotten first. */
const MAX_REMEMBERED = 10_000;

/** Counts how often a step was asked for, so that a fault with `times` ends and the retry after it succeeds. */
export class FaultCounter {
  #asked = new Map<string, number>();

  /** The fault for this request of the step, or null when all of its faults are used up. */
  next(key: string, faults: readonly Fault[] | undefined): Fault | null {
    if (faults === undefined || faults.length === 0) return null;
    const asked = this.#asked.get(key) ?? 0;
    this.#asked.delete(key);
    this.#asked.set(key, asked + 1);
    if (this.#asked.size > MAX_REMEMBERED) {
      const oldest = this.#asked.keys().next().value;
      if (oldest !== undefined) this.#asked.delete(oldest);
    }
    return faultAt(faults, asked);
  }

  clear(): void {
    this.#asked.clear();
  }
}

function faultAt(faults: readonly Fault[], asked: number): Fault | null {
  let upTo = 0;
  for (const fault of faults) {
    upTo += fault.times ?? Infinity;
    if (asked < upTo) return fault;
  }
  return null;
}
