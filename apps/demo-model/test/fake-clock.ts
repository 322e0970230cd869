import type { Clock } from '../src/clock.ts';

/** `sleep` advances the time immediately; `slept` records the durations. */
export class FakeClock implements Clock {
  #nowMs = 1_700_000_000_000;
  readonly slept: number[] = [];

  nowMs(): number {
    return this.#nowMs;
  }

  sleep(ms: number): Promise<void> {
    this.slept.push(ms);
    this.#nowMs += ms;
    return Promise.resolve();
  }
}
