/** How far the memory of a process grows over what it has now. A process that died has grown without limit. */
import { readFileSync } from 'node:fs';

const EVERY_MS = 50;

export class MemoryPeak {
  readonly #pid: number;
  readonly #startMb: number;
  #peakMb: number;
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number) {
    this.#pid = pid;
    this.#startMb = memoryMb(pid);
    this.#peakMb = this.#startMb;
    this.#timer = setInterval(() => this.#look(), EVERY_MS);
  }

  stop(): number {
    clearInterval(this.#timer);
    this.#look();
    return this.#peakMb - this.#startMb;
  }

  #look(): void {
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
