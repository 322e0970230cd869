import { runInDurableObject } from 'cloudflare:test';
import { BoardColumn, SessionStatus, createId, formatId } from '@ship/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unwrap } from '../platform/result.ts';
import { newWorkspace, report } from '../testing/workspace.ts';
import { DONE_CARDS } from './board-view.ts';

const pullRequest = (state: 'open' | 'merged' | 'closed', number = 1) => ({
  number,
  url: 'http://forge/pull/1',
  state,
  draft: false,
});

const idAt = (atMs: number) => formatId('ses', atMs, crypto.getRandomValues(new Uint8Array(16)));

describe('outcomes of pull requests', () => {
  it('[CB1] the score at the decision is kept with the outcome; reopening clears it', async () => {
    const stub = newWorkspace();
    const [a, b, c] = [createId('ses'), createId('ses'), createId('ses')];
    const submit = (
      sessionId: typeof a,
      version: number,
      confidence: number | null,
      state: 'open' | 'merged' | 'closed',
      number = 1,
    ) => report(stub, { sessionId, confidence, pullRequest: pullRequest(state, number) }, version);
    const decided = async () => unwrap(await stub.readCalibration()).decided;
    await submit(a, 1, 85, 'open');
    expect(await decided()).toBe(0);
    await submit(a, 2, 85, 'merged');
    // Work after the merge has a separate score and pull request.
    await submit(a, 3, 20, 'merged');
    await submit(a, 4, 20, 'open', 2);
    await submit(b, 1, 30, 'closed');
    await submit(c, 1, null, 'merged');
    const { buckets } = unwrap(await stub.readCalibration());
    expect(buckets[3]).toMatchObject({ merged: 1, closed: 0, predicted: 0.85 });
    expect(buckets[0]).toMatchObject({ merged: 0, closed: 1 });
    await submit(b, 2, 30, 'open');
    expect(await decided()).toBe(1);
  });

  it('[CB1] a revert stays after later reports, and outlives the session', async () => {
    const stub = newWorkspace();
    const sessionId = createId('ses');
    const merged = { sessionId, confidence: 90, pullRequest: pullRequest('merged') };
    await report(stub, merged);
    unwrap(await stub.markReverted([sessionId]));
    await report(stub, { ...merged, title: 'renamed' }, 2);
    unwrap(await stub.removeSession(sessionId));
    expect(unwrap(await stub.readCalibration()).buckets[3]).toMatchObject({
      merged: 0,
      reverted: 1,
    });
    unwrap(await stub.markReverted([]));
  });
});

describe('counters', () => {
  it('[FW1] match a full count after any changes', async () => {
    const state = fc.constantFrom(null, 'open' as const, 'merged' as const, 'closed' as const);
    const change = fc.record({
      who: fc.integer({ min: 0, max: 5 }),
      status: fc.constantFrom(...SessionStatus.options),
      state,
      costUsd: fc.constantFrom(null, 0.25, 1),
      isRemoval: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 20 }), async (changes) => {
        const stub = newWorkspace();
        const ids = Array.from({ length: 6 }, () => createId('ses'));
        for (const [at, { who, status, state: pr, costUsd, isRemoval }] of changes.entries()) {
          const sessionId = ids[who] ?? createId('ses');
          if (isRemoval) unwrap(await stub.removeSession(sessionId));
          else
            await report(
              stub,
              { sessionId, status, costUsd, pullRequest: pr === null ? null : pullRequest(pr) },
              at + 1,
            );
        }
        const { sessions } = unwrap(await stub.listSessions({ limit: 100 }));
        const stats = unwrap(await stub.readStats());
        const board = unwrap(await stub.readBoard());
        expect(stats.sessions).toBe(sessions.length);
        for (const one of SessionStatus.options)
          expect(stats.byStatus[one]).toBe(sessions.filter(({ status }) => status === one).length);
        const merged = sessions.filter(({ pullRequest: pr }) => pr?.state === 'merged').length;
        expect(stats.pullRequests.merged).toBe(merged);
        const cost = sessions.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
        expect(stats.costPerMergedUsd).toBe(merged === 0 ? null : cost / merged);
        for (const { column, cards, total } of board.columns) {
          expect(total).toBe(cards.length);
          expect(stats.byColumn[column]).toBe(total);
        }
        expect(board.columns.map(({ column }) => column)).toEqual(BoardColumn.options);
      }),
      { numRuns: 15 },
    );
  });

  it('[FW2] the done column shows the newest cards, and counts all', async () => {
    const stub = newWorkspace();
    for (let i = 0; i < DONE_CARDS + 5; i += 1)
      await report(stub, { sessionId: createId('ses'), status: 'closed' });
    const done = unwrap(await stub.readBoard()).columns.find(({ column }) => column === 'done');
    expect(done?.cards).toHaveLength(DONE_CARDS);
    expect(done?.total).toBe(DONE_CARDS + 5);
  });

  it('[FW5] speeds are medians over the newest sessions that have a value', async () => {
    const stub = newWorkspace();
    const submit = (atMs: number, firstTokenMs: number | null, pullRequestMs: number | null) =>
      report(stub, {
        sessionId: idAt(atMs),
        createdAt: atMs,
        timings: { firstTokenMs, pullRequestMs },
      });
    const medians = async () => {
      const { medianFirstTokenMs, medianPullRequestMs } = unwrap(await stub.readStats());
      return [medianFirstTokenMs, medianPullRequestMs];
    };
    expect(await medians()).toEqual([null, null]);
    for (const [at, ms] of [40, 10, 30, 20].entries()) await submit(10 + at, ms, null);
    await submit(20, null, 7);
    expect(await medians()).toEqual([20, 7]);
    await submit(21, 50, null);
    expect(await medians()).toEqual([30, 7]);
    // 500 newer sessions, one of them with a pull request.
    await runInDurableObject(stub, (_, { storage }) => {
      for (let at = 0; at < 500; at += 1)
        storage.sql.exec(
          `INSERT INTO sessions (session_id, version, search_text, created_at, first_token_ms, pull_request_ms)
           VALUES (?, 1, '', ?, ?, ?)`,
          idAt(100 + at),
          100 + at,
          1_000 + at,
          at === 3 ? 99 : null,
        );
    });
    expect(await medians()).toEqual([1_249, 99]);
  });
});
