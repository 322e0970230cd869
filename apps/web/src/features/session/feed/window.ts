import type { DurableEnvelope } from '@ship/protocol';

/** The newest part of a log, within memory limits; scrolling back loads the rest again. */
export interface LogWindow {
  readonly events: readonly DurableEnvelope[];
  readonly chars: number;
  /** The limit in characters; it grows for a reader who loads older pages. */
  readonly maxChars: number;
}

const initialMaxChars = 500_000;
const minEvents = 50;
const maxEvents = 8000;

export const createWindow = (events: readonly DurableEnvelope[]): LogWindow => ({
  events,
  chars: charsOf(events),
  maxChars: initialMaxChars,
});

export const append = (window: LogWindow, added: readonly DurableEnvelope[]): LogWindow => ({
  ...window,
  events: [...window.events, ...added],
  chars: window.chars + charsOf(added),
});

/**
 * Raises the limit for pages that were requested: if the next event dropped them, a page that fills the screen would request them
 * again.
 */
export function prepend(window: LogWindow, added: readonly DurableEnvelope[]): LogWindow {
  const chars = window.chars + charsOf(added);
  const maxChars = Math.max(window.maxChars, 2 * chars);
  return { events: [...added, ...window.events], chars, maxChars };
}

/** Drops the oldest events above the limit, half of them at once, because each drop rebuilds all entries. */
export function trim(window: LogWindow, isAtEnd: boolean): LogWindow {
  const { events, chars, maxChars } = window;
  const isTooLong = isAtEnd && chars > maxChars;
  if (!isTooLong && events.length <= maxEvents) return window;
  const last = events.length - minEvents;
  let from = Math.max(0, events.length - maxEvents / 2);
  let rest = chars - charsOf(events.slice(0, from));
  while (from < last && rest > maxChars / 2) {
    rest -= charsOf(events.slice(from, from + 1));
    from += 1;
  }
  return from === 0 ? window : { ...window, events: events.slice(from), chars: rest };
}

const charsOf = (events: readonly DurableEnvelope[]): number =>
  events.reduce((sum, { data }) => sum + textIn(data), 0);

/** Estimates the size of an event by its text. */
function textIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.values(value).reduce((sum: number, part) => sum + textIn(part), 16);
}
