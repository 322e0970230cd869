import { SESSION_EVENTS } from '@ship/protocol';
import type { DurableEvent } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { placementOf } from './placement.ts';
import { views } from './registry.ts';

/** Events that always join an existing entry. */
const followers = [
  'question.answered',
  'permission.answered',
  'ask.closed',
  'plan.decided',
  'subagent.finished',
];

// Contains every field that a rule reads.
const sample = (type: DurableEvent['type']) =>
  ({
    seq: 1,
    at: 0,
    type,
    version: 1,
    data: { turnId: 't', toolchains: [], outcome: { kind: 'failed' }, error: {}, kind: 'text' },
  }) as unknown as DurableEvent;

describe('the views of events', () => {
  const types = Object.keys(SESSION_EVENTS) as DurableEvent['type'][];
  it.each(types)('[WB6] %s has a placement and a view, or neither', (type) => {
    const isPlaced = placementOf(sample(type)) !== undefined;
    expect(Object.hasOwn(views, type) || followers.includes(type)).toBe(isPlaced);
  });
});
