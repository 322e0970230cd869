import type { SessionSummary } from '@ship/protocol';
import { SessionId, createId, formatId } from '@ship/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  columns,
  listed,
  newWorkspace,
  query,
  refusedWith,
  report,
  summary,
} from '../testing/workspace.ts';
import { unwrap } from '../platform/result.ts';

const idAt = (atMs: number) => formatId('ses', atMs, crypto.getRandomValues(new Uint8Array(16)));

const titles = (sessions: readonly SessionSummary[]) => sessions.map(({ title }) => title);

describe('the index of sessions', () => {
  it('[WS5] reports in any order leave the newest', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([1, 2, 3, 4, 5, 6], { minLength: 1 }),
        async (versions) => {
          const stub = newWorkspace();
          const sessionId = createId('ses');
          for (const version of versions)
            await report(stub, { sessionId, title: `version ${version}` }, version);
          expect(titles((await listed(stub)).sessions)).toEqual([
            `version ${Math.max(...versions)}`,
          ]);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('[WS5] returns whether a report counted; a repeated one does not', async () => {
    const stub = newWorkspace();
    const first = { version: 4, summary: summary() };
    expect(unwrap(await stub.reportSession(first))).toBe(true);
    expect(unwrap(await stub.reportSession(first))).toBe(false);
    expect(unwrap(await stub.reportSession({ ...first, version: 3 }))).toBe(false);
    expect(unwrap(await stub.readBoard()).version).toBe(2);
  });

  it('[WS5] a removed session stays removed, even when its removal came first', async () => {
    const stub = newWorkspace();
    const { sessionId } = await report(stub);
    unwrap(await stub.removeSession(sessionId));
    await report(stub, { sessionId }, 99);
    const never = createId('ses');
    unwrap(await stub.removeSession(never));
    await report(stub, { sessionId: never }, 99);
    expect((await listed(stub)).sessions).toEqual([]);
    expect(Object.values(await columns(stub)).flat()).toEqual([]);
  });

  it('[WS8] an invalid report is refused, and the list still works', async () => {
    const stub = newWorkspace();
    await report(stub, { title: 'line one\nline two', branch: 'odd branch..name' });
    const { sessionId, ...rest } = summary();
    for (const bad of [
      { version: 1, summary: { ...rest, sessionId, title: '' } },
      { version: 1, summary: { ...rest, sessionId, costUsd: -1 } },
      { version: 0, summary: { ...rest, sessionId } },
      { version: 1, summary: { ...rest, sessionId, step: Number.NaN } },
    ])
      expect(refusedWith(await stub.reportSession(bad))).toBe('invalid-input');
    expect((await listed(stub)).sessions).toHaveLength(1);
  });

  it('[WS6] finds all words in title, repository or branch, in any case, taken literally', async () => {
    const stub = newWorkspace();
    await report(stub, { title: 'Übersetzung der Kasse', branch: 'ship-till' });
    await report(stub, { title: '100% done_now', repository: '/srv/Shop' });
    const found = async (q: string) => titles((await listed(stub, { q })).sessions);
    expect(await found('übersetzung TILL')).toEqual(['Übersetzung der Kasse']);
    expect(await found('srv/shop')).toEqual(['100% done_now']);
    expect(await found('100%')).toEqual(['100% done_now']);
    expect(await found('%')).toEqual(['100% done_now']);
    expect(await found('done_now')).toEqual(['100% done_now']);
    expect(await found('done-now')).toEqual([]);
    expect(await found("' OR 1=1 --")).toEqual([]);
    expect(await found('  ')).toHaveLength(2);
  });

  it('[WS6] filters by status, column and repository, together', async () => {
    const stub = newWorkspace();
    await report(stub, { title: 'a', status: 'working' });
    await report(stub, { title: 'b', status: 'failed', repository: '/r' });
    await report(stub, { title: 'c', status: 'closed', repository: '/r' });
    const found = async (given: Record<string, unknown>) =>
      titles((await listed(stub, given)).sessions).sort();
    expect(await found({ status: 'working,failed' })).toEqual(['a', 'b']);
    expect(await found({ column: 'needs-you' })).toEqual(['b']);
    expect(await found({ repository: '/r' })).toEqual(['b', 'c']);
    expect(await found({ repository: '/r', column: 'done,working' })).toEqual(['c']);
    expect(await found({ repository: '/r', status: 'working' })).toEqual([]);
  });

  it('[WS7] paging returns each session once while others are added, changed and removed', async () => {
    const stub = newWorkspace();
    const old = Array.from({ length: 60 }, (_, index) => idAt(1_000 + index));
    for (const sessionId of old) await report(stub, { sessionId });
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 20; page++) {
      const { sessions, nextCursor } = unwrap(
        await stub.listSessions(query({ limit: '7', ...(cursor && { cursor }) })),
      );
      seen.push(...sessions.map(({ sessionId }) => sessionId));
      if (nextCursor === null) break;
      cursor = SessionId.parse(nextCursor);
      await report(stub, { sessionId: idAt(9_000 + page) });
      await report(stub, { sessionId: old[page] ?? createId('ses'), title: 'changed' }, 2 + page);
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((id) => old.some((each) => each === id)).toSorted()).toEqual(old.toSorted());
  });

  it.each([{}, { column: 'working' }, { status: 'working' }, { q: 'session' }])(
    '[WS7] newest first means by creation, not by the age of the id: %j',
    async (given) => {
      const stub = newWorkspace();
      // The warm pool created its id before the other session.
      const pooled = idAt(1_000);
      await report(stub, { sessionId: idAt(5_000), title: 'session one', createdAt: 5_000 });
      await report(stub, { sessionId: pooled, title: 'session two', createdAt: 9_000 });
      await report(stub, { sessionId: idAt(4_000), title: 'session zero', createdAt: 4_000 });
      const first = await listed(stub, { ...given, limit: '1' });
      expect(titles(first.sessions)).toEqual(['session two']);
      // Removed between two pages: the next page continues after it.
      unwrap(await stub.removeSession(pooled));
      const rest = await listed(stub, { ...given, cursor: first.nextCursor ?? undefined });
      expect(titles(rest.sessions)).toEqual(['session one', 'session zero']);
    },
  );
});
