import { readFileSync } from 'node:fs';

const SAMPLE_MS = 50;
const TICKS_PER_SECOND = 100;

/** Resource use of a process during some work: its peak memory and its CPU time. */
export class ProcessMonitor {
  readonly #pid: number;
  readonly #beforeKb: number;
  #peakKb = 0;

  constructor(pid: number) {
    this.#pid = pid;
    this.#beforeKb = this.#residentKb();
  }

  get growthMb(): number {
    return Math.round(Math.max(0, this.#peakKb - this.#beforeKb) / 1024);
  }

  async during<Value>(work: () => Promise<Value>): Promise<{ value: Value; cpuMs: number }> {
    const timer = setInterval(() => {
      this.#peakKb = Math.max(this.#peakKb, this.#residentKb());
    }, SAMPLE_MS);
    const beforeMs = this.#cpuMs();
    try {
      const value = await work();
      return { value, cpuMs: this.#cpuMs() - beforeMs };
    } finally {
      clearInterval(timer);
    }
  }

  #cpuMs(): number {
    const fields = readFileSync(`/proc/${this.#pid}/stat`, 'utf8').replace(/^.*\) /s, '');
    const [user, system] = fields.split(' ').slice(11, 13).map(Number);
    return (((user ?? 0) + (system ?? 0)) * 1_000) / TICKS_PER_SECOND;
  }

  #residentKb(): number {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${this.#pid}/status`, 'utf8'))?.[1]);
  }
}
