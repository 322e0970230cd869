import { createId } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { judge } from './chaos/judge.ts';
import { FAULT_COUNTERS, runChaos } from './chaos/run.ts';

const sent = (mark: string, seq: number | undefined) => ({
  requestId: mark,
  method: 'PATCH',
  path: '',
  body: { requestId: mark },
  mark,
  seq,
});

describe('kill -9', { timeout: 300_000 }, () => {
  it('[KI1] loses nothing acknowledged, repeats nothing, shows no client a gap, and loses no alarm', async () => {
    const counters = await runChaos({ kills: 10, seed: 7 });
    expect(Object.fromEntries(FAULT_COUNTERS.map((name) => [name, counters[name]]))).toEqual(
      Object.fromEntries(FAULT_COUNTERS.map((name) => [name, 0])),
    );
    // The kills came in the middle of work; otherwise the test would prove nothing.
    const all = JSON.stringify(counters);
    expect(counters.acknowledged, `of ${all}`).toBeGreaterThan(20);
    expect(counters.repeatedRequests, `of ${all}`).toBeGreaterThan(0);
    expect(counters.reconnects, `of ${all}`).toBeGreaterThan(5);
  });

  describe('judge', () => {
    const sessionId = createId('ses');
    const created = {
      sessionId,
      title: 't',
      repository: '/r',
      model: 'demo/a',
      base: null,
      branch: null,
      budgetUsd: null,
      source: 'api',
      mode: 'build',
    };
    const log = [
      { seq: 1, at: 1, type: 'session.created', version: 1, data: created },
      { seq: 2, at: 2, type: 'session.renamed', version: 1, data: { title: 'a' } },
      { seq: 3, at: 3, type: 'session.renamed', version: 1, data: { title: 'b' } },
    ];
    const honest = judge(log, [], [], undefined as never);

    it('finds lost, repeated and misplaced events', () => {
      expect(
        judge(log, [sent('a', 2), sent('b', 3), sent('c', undefined)], [], {} as never),
      ).toEqual({ ...honest, lost: 0, duplicated: 0 });
      expect(judge(log, [sent('c', 4), sent('a', 3)], [], {} as never).lost).toBe(2);
      const twice = [...log, { ...log[1], seq: 4 }] as typeof log;
      expect(judge(twice, [sent('a', 2)], [], {} as never).duplicated).toBe(1);
    });

    it('finds gaps, other events and wrong states', () => {
      const gap = log.toSpliced(1, 1);
      expect(judge(gap, [], [], {} as never).disorders).toBe(1);
      const watcher = { faults: ['event 3 came after event 1'], events: gap, state: undefined };
      expect(judge(log, [], [watcher], {} as never)).toMatchObject({
        disorders: 1,
        differing: 1,
        wrongStates: 2,
      });
    });
  });
});
