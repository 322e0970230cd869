import type { DurableEnvelope } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { append, createWindow, prepend, trim } from './window.ts';
import type { LogWindow } from './window.ts';

const events = (from: number, to: number, chars = 10): DurableEnvelope[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    seq: from + index,
    at: 0,
    type: 'text.finished',
    version: 1,
    data: { text: 'x'.repeat(chars), inner: [{ is: true }] },
  }));
const grown = (window: LogWindow, added: readonly DurableEnvelope[]) =>
  added.reduce((before, event) => trim(append(before, [event]), true), window);
const range = ({ events: kept }: LogWindow) => [kept[0]?.seq, kept.at(-1)?.seq];

describe('the log window of a page', () => {
  it('[WB15] stays within its limits for any log length, and ends with the newest event', () => {
    let largest = 0;
    let window = createWindow([]);
    for (const event of events(1, 1000, 8000)) {
      window = grown(window, [event]);
      largest = Math.max(largest, window.chars);
    }
    expect(largest).toBeLessThanOrEqual(510_000);
    expect(window.events.length).toBeGreaterThanOrEqual(50);
    expect(range(window)[1]).toBe(1000);
    expect(window.chars).toBe(createWindow(window.events).chars);
  });

  it('[WB15] keeps all events while the reader is scrolled up', () => {
    const window = append(createWindow(events(1, 100, 8000)), events(101, 102));
    expect(trim(window, false)).toBe(window);
    expect(trim(window, true).events.length).toBeLessThan(60);
  });

  it('[WB15] the next event does not drop requested pages', () => {
    const asked = prepend(createWindow(events(101, 160, 8000)), events(1, 100, 8000));
    expect(range(grown(asked, events(161, 170)))).toEqual([1, 170]);
  });

  it('limits the number of events at any scroll position', () => {
    const many = append(createWindow(events(1, 8000, 1)), events(8001, 8001, 1));
    expect(range(trim(many, false))).toEqual([4002, 8001]);
  });

  it('keeps at least a few large events', () => {
    expect(grown(createWindow([]), events(1, 60, 100_000)).events.length).toBe(50);
  });
});
