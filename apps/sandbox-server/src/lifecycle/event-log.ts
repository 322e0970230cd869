import type { Clock } from './clock.ts';

type EventLevel = 'info' | 'warn' | 'error';
interface LifecycleEvent {
  atMs: number;
  level: EventLevel;
  message: string;
}
export type LogSink = (event: LifecycleEvent & { sandboxId?: string }) => void;

const MAX_EVENTS_PER_SANDBOX = 200;

/** Events of each sandbox for its owner: keeps the newest few hundred, and writes each to the server's log. */
export class EventLog {
  readonly #clock: Clock;
  readonly #sink: LogSink;
  readonly #events = new Map<string, LifecycleEvent[]>();

  constructor(clock: Clock, sink: LogSink) {
    this.#clock = clock;
    this.#sink = sink;
  }

  add(sandboxId: string, level: EventLevel, message: string): void {
    const event = { atMs: this.#clock.nowMs(), level, message };
    const events = this.#events.get(sandboxId) ?? [];
    events.push(event);
    if (events.length > MAX_EVENTS_PER_SANDBOX) events.shift();
    this.#events.set(sandboxId, events);
    this.#sink({ ...event, sandboxId });
  }

  server(level: EventLevel, message: string): void {
    this.#sink({ atMs: this.#clock.nowMs(), level, message });
  }

  of(sandboxId: string): LifecycleEvent[] {
    return this.#events.get(sandboxId) ?? [];
  }

  forget(sandboxId: string): void {
    this.#events.delete(sandboxId);
  }
}
