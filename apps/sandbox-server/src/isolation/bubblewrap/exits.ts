/** Detects sandboxes that exited unexpectedly, whether this server started or adopted them. */
import { isAlive, type ProcessIdentity } from './procfs.ts';

const POLL_MS = 1000;

export class Exits {
  readonly #watched = new Map<string, ProcessIdentity>();
  readonly #listeners = new Set<(id: string) => void>();
  #timer: NodeJS.Timeout | undefined;

  onExit(listener: (id: string) => void): void {
    this.#listeners.add(listener);
  }

  /** Polls, because the kernel reports only the exits of our own children; those are reported immediately. */
  watch(id: string, init: ProcessIdentity): void {
    this.#watched.set(id, init);
    this.#timer ??= setInterval(() => this.#poll(), POLL_MS).unref();
  }

  unwatch(id: string): void {
    this.#watched.delete(id);
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Called when a monitor that this server started has exited. */
  report(id: string, init: ProcessIdentity): void {
    if (
      this.#watched.get(id)?.startTicks !== init.startTicks ||
      this.#watched.get(id)?.pid !== init.pid
    )
      return;
    this.unwatch(id);
    for (const listener of this.#listeners) listener(id);
  }

  #poll(): void {
    for (const [id, init] of this.#watched) if (!isAlive(init)) this.report(id, init);
  }
}
