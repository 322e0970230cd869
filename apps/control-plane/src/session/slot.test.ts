import { createId } from '@ship/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Slot } from './slot.ts';

const turn = { turnId: createId('turn'), promptId: createId('prm'), attempt: 1, startedAt: 0 };
const WORKING = { status: 'working', turn };

/** The parts that a slot reads. */
function heldSlot() {
  const metadata = new Map<string, number>();
  const calls: string[] = [];
  const store = {
    state: { sessionId: createId('ses'), activity: WORKING as unknown, queue: [] },
    metadata: {
      read: (name: string) => metadata.get(name) ?? 0,
      write: (name: string, value: number) => metadata.set(name, value),
    },
  };
  const workspace = {
    takeSlot: async () => calls.push('take') > 0,
    releaseSlot: async () => void calls.push('release'),
  };
  const slot = new Slot(store as never, workspace as never);
  return { slot, store, calls };
}

describe('the slot of a working session', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('[SL3] is renewed from time to time, not with every event, and released at once', async () => {
    const { slot, store, calls } = heldSlot();
    await slot.take(store.state as never);
    for (let event = 0; event < 50; event += 1) {
      expect(slot.isDue(Date.now())).toBe(false);
      await slot.renewOrRelease();
    }
    expect(calls).toEqual(['take']);
    vi.advanceTimersByTime(30_000);
    await slot.renewOrRelease();
    await slot.renewOrRelease();
    expect(calls).toEqual(['take', 'take']);
    store.state.activity = { status: 'idle' };
    expect(slot.isDue(Date.now())).toBe(true);
    await slot.renewOrRelease();
    await slot.renewOrRelease();
    expect(calls).toEqual(['take', 'take', 'release']);
  });

  it('[SL3] is renewed at once by a process that finds it held', async () => {
    const { slot, store, calls } = heldSlot();
    store.metadata.write('holds-slot', 1);
    await slot.renewOrRelease();
    expect(calls).toEqual(['take']);
  });
});
