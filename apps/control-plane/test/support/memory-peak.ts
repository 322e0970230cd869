/** Measures the peak growth of a process’s memory since the start. A dead process counts as unlimited growth. */
import { readFileSync } from 'node:fs';

const INTERVAL_MS = 50;

export class MemoryPeak {
  readonly #pid: number;
  readonly #startMb: number;
  #peakMb: number;
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number) {
    this.#pid = pid;
    this.#startMb = memoryMb(pid);
    this.#peakMb = this.#startMb;
    this.#timer = setInterval(() => this.#sample(), INTERVAL_MS);
  }

  stop(): number {
    clearInterval(this.#timer);
    this.#sample();
    return this.#peakMb - this.#startMb;
  }

  #sample(): void {
    this.#peakMb = Math.max(this.#peakMb, memoryMb(this.#pid));
  }
}

function memoryMb(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
    return kilobytes === undefined ? Infinity : Number(kilobytes) / 1_024;
  } catch {
    return Infinity;
  }
}
