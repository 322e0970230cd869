import type { SandboxRecord } from '../store/records.ts';
import type { Clock } from './clock.ts';
import { messageOf } from './errors.ts';

interface PoolOptions {
  /** Ready sandboxes to hold per template name; 0 or absent disables the pool. */
  sizes: Readonly<Record<string, number>>;
  maxStartsAtOnce: number;
  /** Delay after a claim: a concurrent start would slow down the claimer's first command. */
  refillDelayMs: number;
  clock: Clock;
  /** Starts a sandbox; undefined when there is no capacity for it now. */
  make: (templateName: string) => Promise<SandboxRecord | undefined>;
  discard: (record: SandboxRecord) => Promise<void>;
  onFailure: (message: string) => void;
}

const RETRY_DELAY_MS = 5_000;

/** Prewarmed sandboxes, started before they are requested. */
export class WarmPool {
  readonly #options: PoolOptions;
  readonly #ready = new Map<string, SandboxRecord[]>();
  readonly #starting = new Map<string, number>();
  readonly #work = new Set<Promise<void>>();
  #cancelRefill: (() => void) | undefined;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Claims a ready sandbox of exactly this layer, exclusively; a fork of a template is not that template. */
  claim(templateName: string, layer: string): SandboxRecord | undefined {
    const ready = this.#ready.get(templateName) ?? [];
    const record = ready.find((candidate) => candidate.layer === layer);
    if (record === undefined) return undefined;
    this.#ready.set(
      templateName,
      ready.filter((candidate) => candidate !== record),
    );
    this.#refillLater(this.#options.refillDelayMs);
    return record;
  }

  /** Adopts a pooled sandbox of an earlier server; false when it is no longer needed. */
  adopt(templateName: string, record: SandboxRecord): boolean {
    const ready = this.#ready.get(templateName) ?? [];
    if (ready.length >= (this.#options.sizes[templateName] ?? 0)) return false;
    this.#ready.set(templateName, [...ready, record]);
    return true;
  }

  /** Drops a ready sandbox that has died. */
  remove(id: string): void {
    for (const [name, ready] of this.#ready) {
      this.#ready.set(
        name,
        ready.filter((record) => record.id !== id),
      );
    }
    this.#refillLater(this.#options.refillDelayMs);
  }

  refill(): void {
    this.#cancelRefill?.();
    this.#cancelRefill = undefined;
    if (this.#closed) return;
    for (const [name, size] of Object.entries(this.#options.sizes)) {
      while (this.#starts() < this.#options.maxStartsAtOnce && this.#count(name) < size) {
        this.#track(this.#makeOne(name));
      }
    }
  }

  #count(name: string): number {
    return (this.#ready.get(name)?.length ?? 0) + (this.#starting.get(name) ?? 0);
  }

  #starts(): number {
    return [...this.#starting.values()].reduce((sum, count) => sum + count, 0);
  }

  async #makeOne(name: string): Promise<void> {
    this.#starting.set(name, (this.#starting.get(name) ?? 0) + 1);
    let record: SandboxRecord | undefined;
    try {
      record = await this.#options.make(name);
    } catch (error) {
      this.#options.onFailure(
        `the pool could not start a sandbox from ${name}: ${messageOf(error)}`,
      );
    }
    this.#starting.set(name, (this.#starting.get(name) ?? 1) - 1);
    if (record === undefined) {
      this.#refillLater(RETRY_DELAY_MS);
      return;
    }
    if (this.#closed) {
      await this.#options.discard(record);
      return;
    }
    this.#ready.set(name, [...(this.#ready.get(name) ?? []), record]);
    this.refill();
  }

  #refillLater(delayMs: number): void {
    this.#cancelRefill?.();
    if (!this.#closed) this.#cancelRefill = this.#options.clock.after(delayMs, () => this.refill());
  }

  #track(work: Promise<void>): void {
    const settled = (async () => {
      try {
        await work;
      } catch (error) {
        this.#options.onFailure(messageOf(error));
      }
    })();
    this.#work.add(settled);
    void settled.finally(() => this.#work.delete(settled));
  }

  state(): Record<string, { size: number; ready: number; starting: number }> {
    return Object.fromEntries(
      Object.entries(this.#options.sizes).map(([name, size]) => [
        name,
        {
          size,
          ready: this.#ready.get(name)?.length ?? 0,
          starting: this.#starting.get(name) ?? 0,
        },
      ]),
    );
  }

  /** Waits until no start is in progress. */
  async settle(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  /** Stops refilling; discards the ready sandboxes unless the next server shall adopt them. */
  async close(keepReady: boolean): Promise<void> {
    this.#closed = true;
    this.#cancelRefill?.();
    await this.settle();
    if (keepReady) return;
    const ready = [...this.#ready.values()].flat();
    this.#ready.clear();
    await Promise.all(ready.map((record) => this.#options.discard(record)));
  }
}
