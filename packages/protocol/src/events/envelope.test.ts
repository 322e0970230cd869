import { describe, expect, it } from 'vitest';
import { createId } from '../ids.ts';
import { DurableEnvelope, LiveEvent, knownEvent } from './envelope.ts';

const envelope = (type: string, version: number, data: unknown) => ({
  seq: 1,
  at: 0,
  type,
  version,
  data,
});

describe('event envelope', () => {
  it('[EV1] a durable event has a sequence number, and a live one does not parse as durable', () => {
    const live = {
      type: 'part.delta',
      data: { turnId: createId('turn'), partId: 'p', field: 'text', delta: 'a' },
    };
    expect(LiveEvent.parse(live)).toEqual(live);
    expect(DurableEnvelope.safeParse(live).success).toBe(false);
  });

  it('knows an event by type and version together', () => {
    expect(knownEvent(envelope('session.renamed', 1, { title: 'x' }))?.type).toBe(
      'session.renamed',
    );
    expect(knownEvent(envelope('session.renamed', 2, { title: 'x' }))).toBeUndefined();
  });

  it('[EV3] an earlier version’s event parses as the newest version', () => {
    const turnId = createId('turn');
    const stopped = { turnId, outcome: { kind: 'stopped', by: 'ada' } };
    expect(knownEvent(envelope('turn.finished', 1, stopped))).toMatchObject({
      version: 2,
      data: stopped,
    });
    const outcome = { kind: 'paused', reason: 'loop', message: '', remedy: '', notBefore: null };
    expect(knownEvent(envelope('turn.finished', 2, { turnId, outcome }))).toBeDefined();
    // No earlier version can have written this.
    expect(knownEvent(envelope('turn.finished', 1, { turnId, outcome }))).toBeUndefined();
    expect(knownEvent(envelope('turn.finished', 3, stopped))).toBeUndefined();
  });

  it('[EV4] a retry of the provider that was stored without its reason still folds', () => {
    const data = { turnId: createId('turn'), attempt: 1, nextAttemptAt: 5 };
    const read = (reason?: unknown) =>
      knownEvent(
        envelope('provider.retrying', 1, reason === undefined ? data : { ...data, reason }),
      )?.data;
    expect(read()).toEqual({ ...data, reason: null });
    const reason = { kind: 'rate-limited', message: 'Too Many Requests' };
    expect(read(reason)).toEqual({ ...data, reason });
    // A kind of a newer server.
    expect(read({ kind: 'solar-flare', message: 'm' })).toEqual({
      ...data,
      reason: { kind: 'unknown', message: 'm' },
    });
    expect(read({ kind: 'unknown', message: 'm'.repeat(301) })).toBeUndefined();
  });

  it.each([
    ['an unknown type', envelope('session.levitated', 1, {})],
    ['data that does not fit', envelope('session.renamed', 1, { title: 7 })],
    ['a name of Object.prototype', envelope('constructor', 1, {})],
  ])('[EV2] %s parses as an envelope and is not a known event', (_, event) => {
    expect(DurableEnvelope.parse(event)).toEqual(event);
    expect(knownEvent(event)).toBeUndefined();
  });
});
