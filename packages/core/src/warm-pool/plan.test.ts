import { type DraftId, createId } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import {
  IDLE_MS,
  LOOK_AGAIN_MS,
  type PooledSandbox,
  type PoolTerms,
  SETTLE_AFTER_MS,
  YIELD_MS,
  planPool,
} from './plan.ts';

const NOW = 10_000_000;
const terms = (changes: Partial<PoolTerms> = {}): PoolTerms => ({
  size: 1,
  model: 'demo/demo',
  provider: 'local',
  lastDemandAt: NOW,
  quietUntil: 0,
  isBusy: false,
  ...changes,
});
const place = (changes: Partial<PooledSandbox> = {}): PooledSandbox => ({
  sessionId: createId('ses'),
  state: 'ready',
  since: NOW - 1_000,
  draft: null,
  model: 'demo/demo',
  provider: 'local',
  ...changes,
});
const draftOf = (expiresAt: number, draftId: DraftId = createId('drf')) => ({ draftId, expiresAt });

describe('plan of the warm pool', () => {
  it('[WM1] keeps as many sandboxes ready as the setting says', () => {
    expect(planPool([], terms({ size: 2 }), NOW)).toMatchObject({ make: 1, end: [] });
    const first = place({ state: 'making' });
    expect(planPool([first], terms({ size: 2 }), NOW)).toMatchObject({ make: 0, end: [] });
    first.state = 'ready';
    expect(planPool([first], terms({ size: 2 }), NOW)).toMatchObject({ make: 1, end: [] });
    expect(planPool([place()], terms(), NOW)).toMatchObject({ make: 0, end: [] });
    const old = place({ since: NOW - 9_000 });
    const young = place();
    const making = place({ state: 'making', since: NOW - 20_000 });
    expect(planPool([young, making, old], terms(), NOW).end).toEqual([
      young.sessionId,
      making.sessionId,
    ]);
  });

  it('[WM2] a size of 0, no model, or an hour without demand empties the pool', () => {
    const places = [place()];
    const end = [places[0]?.sessionId];
    expect(planPool(places, terms({ size: 0 }), NOW)).toMatchObject({ make: 0, end });
    expect(planPool(places, terms({ model: null }), NOW)).toMatchObject({ make: 0, end });
    const lastDemandAt = NOW - IDLE_MS;
    expect(planPool(places, terms({ lastDemandAt }), NOW)).toMatchObject({ make: 0, end });
  });

  it('[WM3] a sandbox for another model or service is replaced', () => {
    const wrong = [place({ model: 'demo/other' }), place({ provider: 'e2b' })];
    expect(planPool(wrong, terms(), NOW)).toMatchObject({
      make: 1,
      end: wrong.map(({ sessionId }) => sessionId),
    });
  });

  it('[WM4] a draft keeps its sandbox until it expires; then the sandbox returns to the pool or is destroyed', () => {
    const kept = place({ draft: draftOf(NOW + 1) });
    expect(planPool([kept], terms(), NOW)).toMatchObject({ make: 1, end: [], nextAt: NOW + 1 });
    const unused = place({ draft: draftOf(NOW) });
    const { sessionId } = unused;
    expect(planPool([unused], terms(), NOW)).toMatchObject({ make: 0, free: [sessionId] });
    expect(planPool([unused], terms({ size: 0 }), NOW)).toMatchObject({
      free: [],
      end: [sessionId],
    });
  });

  it('[WM5] claimed sandboxes are checked, and never destroyed automatically', () => {
    const claimed = place({ state: 'claimed', since: NOW, draft: draftOf(NOW - 1) });
    const { sessionId } = claimed;
    const soon = planPool([claimed], terms({ size: 0 }), NOW);
    expect(soon).toEqual({
      make: 0,
      end: [],
      free: [],
      settle: [],
      nextAt: NOW + SETTLE_AFTER_MS,
    });
    expect(planPool([claimed], terms(), NOW + SETTLE_AFTER_MS).settle).toEqual([sessionId]);
  });

  it('[WM12] prewarming waits while an agent works, but not forever', () => {
    const busy = terms({ isBusy: true });
    expect(planPool([], busy, NOW)).toMatchObject({ make: 0, nextAt: NOW + LOOK_AGAIN_MS });
    expect(planPool([], busy, NOW + YIELD_MS)).toMatchObject({ make: 1 });
    expect(planPool([], terms(), NOW)).toMatchObject({ make: 1 });
  });

  it('[WM6] nothing is created during a backoff, and the backoff ends', () => {
    const quiet = terms({ quietUntil: NOW + 500 });
    expect(planPool([], quiet, NOW)).toMatchObject({ make: 0, nextAt: NOW + 500 });
    expect(planPool([], quiet, NOW + 500)).toMatchObject({ make: 1, nextAt: null });
  });
});
