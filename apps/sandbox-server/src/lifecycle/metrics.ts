import type { IsolationBackend, Usage } from '../isolation/backend.ts';
import type { SandboxRecord } from '../store/records.ts';
import type { Clock } from './clock.ts';

export interface Sample extends Usage {
  atMs: number;
}

const MAX_SAMPLES = 240;
const SAMPLE_INTERVAL_MS = 15_000;
/** Within this time the last sample is reused: a client in a loop must not keep `du` busy. */
const MIN_AGE_MS = 1_000;

/** Resource usage of running sandboxes: sampled periodically, and on each request. */
export class Metrics {
  readonly #backend: IsolationBackend;
  readonly #clock: Clock;
  readonly #running: () => SandboxRecord[];
  readonly #samples = new Map<string, Sample[]>();
  #cancel: (() => void) | undefined;

  constructor(backend: IsolationBackend, clock: Clock, running: () => SandboxRecord[]) {
    this.#backend = backend;
    this.#clock = clock;
    this.#running = running;
  }

  start(): void {
    this.#cancel = this.#clock.after(SAMPLE_INTERVAL_MS, () => void this.#round());
  }

  stop(): void {
    this.#cancel?.();
  }

  async #round(): Promise<void> {
    const running = this.#running();
    const ids = new Set(running.map(({ id }) => id));
    for (const id of this.#samples.keys()) if (!ids.has(id)) this.#samples.delete(id);
    for (const id of ids) await this.sample(id);
    this.start();
  }

  /** All samples of the interval; the newest is taken now. */
  async read(
    record: SandboxRecord,
    startMs = 0,
    endMs = Number.POSITIVE_INFINITY,
  ): Promise<Sample[]> {
    if (record.phase.state === 'running') await this.sample(record.id);
    const samples = this.#samples.get(record.id) ?? [];
    return samples.filter(({ atMs }) => atMs >= startMs && atMs <= endMs);
  }

  async sample(id: string): Promise<void> {
    const samples = this.#samples.get(id) ?? [];
    const atMs = this.#clock.nowMs();
    if (atMs - (samples.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY) < MIN_AGE_MS) return;
    try {
      samples.push({ atMs, ...(await this.#backend.usage(id)) });
    } catch {
      // The sandbox ended in the meantime: there is nothing to measure.
      return;
    }
    if (samples.length > MAX_SAMPLES) samples.shift();
    this.#samples.set(id, samples);
  }
}
