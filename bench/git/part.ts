import { type Spread, spread, timed } from '../statistics.ts';

export interface Limits {
  /** No further round starts after this. */
  enoughMs: number;
  /** Hanging work is abandoned after this, and the findings until then are reported. */
  deadlineMs: number;
}

/** Figures by name, and why some are missing. */
export type Findings = Record<string, unknown> & { failed?: string };

/** One part of a benchmark with a time limit: it measures in rounds, as many as there is time for. */
export class Part {
  readonly signal: AbortSignal;
  readonly findings: Findings = {};
  readonly #samples = new Map<string, number[]>();
  readonly #startMs = performance.now();
  readonly #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.signal = AbortSignal.timeout(limits.deadlineMs);
  }

  get elapsedMs(): number {
    return performance.now() - this.#startMs;
  }

  /** At least one round, after a warm-up round. */
  async rounds(times: number, round: (isLast: boolean) => Promise<Record<string, number>>) {
    for (let i = -1; i < times; i += 1) {
      const isLast = i === times - 1 || (i >= 0 && this.elapsedMs > this.#limits.enoughMs);
      const found = await round(isLast);
      this.signal.throwIfAborted();
      if (i >= 0)
        for (const [name, ms] of Object.entries(found)) {
          this.#samples.set(name, [...this.samples(name), ms]);
          this.findings[name] = this.spread(name);
        }
      if (isLast) return;
    }
  }

  samples(name: string): number[] {
    return this.#samples.get(name) ?? [];
  }

  spread(name: string): Spread {
    return spread(this.samples(name));
  }

  /** NaN, which reaches no goal, for an unmeasured figure. */
  p50(name: string): number {
    return this.samples(name).length === 0 ? Number.NaN : this.spread(name).p50;
  }

  /** Ratio of the minimums, because noise only ever adds. */
  ratio(name: string, baseline: string): number {
    return Math.min(...this.samples(name)) / Math.min(...this.samples(baseline));
  }
}

/** Runs a part to its end or its deadline. Its failure is a finding: the other parts are still measured. */
export async function runPart(
  name: string,
  limits: Limits,
  work: (part: Part) => Promise<void>,
): Promise<Part> {
  const part = new Part(limits);
  const late = new Promise<never>((_, reject) => {
    part.signal.addEventListener('abort', () => reject(new Error('the deadline passed')));
  });
  const ms = await timed(async () => {
    try {
      await Promise.race([work(part), late]);
    } catch (error) {
      part.findings.failed = error instanceof Error ? error.message.slice(0, 500) : String(error);
    }
  });
  // On stderr: an interrupted run still shows its findings so far.
  console.error(`bench git: ${name} ${Math.round(ms)} ms ${JSON.stringify(part.findings)}`);
  return part;
}
