import type { Vitals } from './vitals.ts';

/** How many of these bytes are within the limit. */
export function takeBytes(pushed: number, bytes: number, limitBytes: number): number {
  return Math.max(0, Math.min(bytes, limitBytes - pushed));
}

/** The bytes that a session has pushed, stored with it: a restart of the control plane must not forget them. */
export class PushQuota {
  readonly #vitals: Vitals;

  constructor(vitals: Vitals) {
    this.#vitals = vitals;
  }

  /** Counts them as pushed, up to the limit, and returns how many. */
  take(bytes: number, limitBytes: number): number {
    const pushed = this.#vitals.read('pushed-bytes');
    const granted = takeBytes(pushed, bytes, limitBytes);
    this.#vitals.write('pushed-bytes', pushed + granted);
    return granted;
  }

  giveBack(bytes: number): void {
    const pushed = this.#vitals.read('pushed-bytes');
    this.#vitals.write('pushed-bytes', Math.max(0, pushed - bytes));
  }
}
