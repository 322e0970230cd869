import type { Fault } from '../script/fault.ts';

/** Maximum number of steps in memory; the oldest is dropped first. */
const MAX_REMEMBERED = 10_000;

/** Counts requests per step, so that a fault with `times` ends and the next retry succeeds. */
export class FaultCounter {
  #requests = new Map<string, number>();

  /** The fault for this request of the step; null when all faults are used up. */
  next(key: string, faults: readonly Fault[] | undefined): Fault | null {
    if (faults === undefined || faults.length === 0) return null;
    const requests = this.#requests.get(key) ?? 0;
    this.#requests.delete(key);
    this.#requests.set(key, requests + 1);
    if (this.#requests.size > MAX_REMEMBERED) {
      const oldest = this.#requests.keys().next().value;
      if (oldest !== undefined) this.#requests.delete(oldest);
    }
    return faultAt(faults, requests);
  }

  clear(): void {
    this.#requests.clear();
  }
}

function faultAt(faults: readonly Fault[], requests: number): Fault | null {
  let upTo = 0;
  for (const fault of faults) {
    upTo += fault.times ?? Infinity;
    if (requests < upTo) return fault;
  }
  return null;
}
