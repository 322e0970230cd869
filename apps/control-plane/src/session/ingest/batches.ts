import type { AgentSignal } from '../../agent/port.ts';

/**
 * The most that is ingested at once: a few milliseconds of the one thread that all sessions share. A request takes about twenty
 * turns of the event loop, and waits for one batch in each of them.
 */
const MAX_SIGNALS = 25;
const MAX_CHARS = 100_000;

/** The approximate size of a signal. Signals other than text are short. */
export function weightOf(signal: AgentSignal): number {
  switch (signal.kind) {
    case 'tool':
      return 500 + signal.output.length + signal.diff.length;
    case 'text':
      return 200 + signal.text.length;
    case 'delta':
      return 200 + signal.delta.length;
    case 'todos':
      return 200 + 100 * signal.todos.length;
    default:
      return 500;
  }
}

/** Bounded by count and by size; an oversized signal is a separate batch. */
export function* batchesOf(signals: readonly AgentSignal[]): Generator<AgentSignal[]> {
  let batch: AgentSignal[] = [];
  let chars = 0;
  for (const signal of signals) {
    const weight = weightOf(signal);
    if (batch.length > 0 && (batch.length >= MAX_SIGNALS || chars + weight > MAX_CHARS)) {
      yield batch;
      batch = [];
      chars = 0;
    }
    batch.push(signal);
    chars += weight;
  }
  if (batch.length > 0) yield batch;
}
