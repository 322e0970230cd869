import { type DurableEvent, type LiveEvent, createId } from '@ship/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BroadcastBatcher } from './broadcast-batcher.ts';

const stored = (seq: number) => ({
  event: { seq } as DurableEvent,
  text: `{"seq":${seq}}`,
  data: '{}',
});
const live = (delta: string): LiveEvent => ({
  type: 'part.delta',
  data: { turnId: createId('turn'), partId: 'part', field: 'text', delta },
});

describe('the broadcast batcher', () => {
  let told: (number[] | string[])[] = [];
  let batcher: BroadcastBatcher;

  beforeEach(() => {
    vi.useFakeTimers();
    told = [];
    batcher = new BroadcastBatcher({
      stored: (events) => told.push(events.map(({ event }) => event.seq)),
      live: (events) => told.push(events.map(({ data }) => data.delta)),
    });
  });
  afterEach(() => vi.useRealTimers());

  it('[RT12] the first event goes out at once, those that follow closely go out together', () => {
    batcher.add([stored(1)]);
    expect(told).toEqual([[1]]);
    batcher.add([stored(2)]);
    batcher.add([stored(3), stored(4)]);
    expect(told).toEqual([[1]]);
    vi.advanceTimersByTime(50);
    expect(told).toEqual([[1], [2, 3, 4]]);
    batcher.add([stored(5)]);
    expect(told.at(-1)).toEqual([5]);
  });

  it('keeps the order of deltas and stored events', () => {
    batcher.addLive([live('a')]);
    batcher.addLive([live('b')]);
    batcher.add([stored(1)]);
    batcher.addLive([live('c')]);
    vi.advanceTimersByTime(50);
    expect(told).toEqual([['a'], ['b'], [1], ['c']]);
  });

  it('flushes at once when a client is about to read the log', () => {
    batcher.add([stored(1)]);
    batcher.add([stored(2)]);
    batcher.flush();
    expect(told).toEqual([[1], [2]]);
    vi.advanceTimersByTime(50);
    expect(told).toEqual([[1], [2]]);
  });
});
