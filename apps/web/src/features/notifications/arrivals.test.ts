import { createId } from '@ship/protocol';
import type { SessionSummary } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { arrivals } from './arrivals.ts';

const session = (): SessionSummary => ({ sessionId: createId('ses') }) as SessionSummary;

describe('arrivals', () => {
  it('returns new sessions, and none on the first look', () => {
    const [a, b] = [session(), session()];
    expect(arrivals(null, [a, b])).toEqual([]);
    expect(arrivals(new Set([a.sessionId]), [a, b])).toEqual([b]);
    expect(arrivals(new Set([a.sessionId, b.sessionId]), [a])).toEqual([]);
  });
});
