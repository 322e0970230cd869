import { runInDurableObject } from 'cloudflare:test';
import { createId } from '@ship/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addCard,
  columns,
  draft,
  newWorkspace,
  refusedWith,
  report,
  requestId,
} from '../testing/workspace.ts';
import { CARDS_PER_COLUMN } from './board-view.ts';
import { unwrap } from '../platform/result.ts';
import type { Workspace } from './workspace.ts';

describe('the board', () => {
  it('[WS9] a card follows its session from column to column', async () => {
    const stub = newWorkspace();
    const { sessionId } = await report(stub, { title: 't', status: 'working' });
    expect((await columns(stub)).working).toEqual(['t']);
    await report(stub, { sessionId, title: 't', status: 'working', needsYou: 'question' }, 2);
    expect(await columns(stub)).toMatchObject({ working: [], 'needs-you': ['t'] });
    await report(stub, { sessionId, title: 't', status: 'closed' }, 3);
    expect(await columns(stub)).toMatchObject({ 'needs-you': [], done: ['t'] });
  });

  it('[WS11] a card that a person moved stays until its session’s column changes', async () => {
    const stub = newWorkspace();
    const { sessionId } = await report(stub, { title: 't', status: 'idle' });
    const { columns: found } = unwrap(await stub.readBoard());
    const cardId = found.flatMap(({ cards }) => cards)[0]?.cardId ?? createId('crd');
    unwrap(await stub.moveCard({ cardId, column: 'done', after: null }));
    await report(stub, { sessionId, title: 't', status: 'idle', outputTokens: 5 }, 2);
    expect((await columns(stub)).done).toEqual(['t']);
    await report(stub, { sessionId, title: 't', status: 'working' }, 3);
    expect(await columns(stub)).toMatchObject({ done: [], working: ['t'] });
  });

  it('[WS10] cards keep the requested order after every move', async () => {
    const stub = newWorkspace();
    const names = ['a', 'b', 'c', 'd', 'e'];
    const ids = new Map<string, Awaited<ReturnType<typeof addCard>>['cardId']>();
    for (const name of names) ids.set(name, (await addCard(stub, name)).cardId);
    let expected = names.toReversed();
    const move = fc.record({
      moved: fc.constantFrom(...names),
      after: fc.option(fc.constantFrom(...names)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 30 }), async (moves) => {
        for (const { moved, after } of moves) {
          if (moved === after) continue;
          const cardId = ids.get(moved) ?? createId('crd');
          const afterId = after === null ? null : (ids.get(after) ?? null);
          unwrap(await stub.moveCard({ cardId, column: 'backlog', after: afterId }));
          const rest = expected.filter((name) => name !== moved);
          expected = rest.toSpliced(after === null ? 0 : rest.indexOf(after) + 1, 0, moved);
        }
        expect((await columns(stub)).backlog).toEqual(expected);
      }),
      { numRuns: 20 },
    );
  });

  it('[WS10] a column without room between two cards is rebalanced, and watchers are notified', async () => {
    const stub = newWorkspace();
    const top = await addCard(stub, 'top');
    const [x, y] = [await addCard(stub, 'x'), await addCard(stub, 'y')];
    unwrap(await stub.moveCard({ cardId: top.cardId, column: 'backlog', after: null }));
    // Each goes right below the top card: the gap halves every time.
    for (let i = 0; i < 70; i++) {
      const { cardId } = i % 2 === 0 ? x : y;
      unwrap(await stub.moveCard({ cardId, column: 'backlog', after: top.cardId }));
    }
    expect((await columns(stub)).backlog).toEqual(['top', 'y', 'x']);
    const published = await runInDurableObject(stub, (_, { storage }) =>
      storage.sql.exec("SELECT 1 FROM changes WHERE change LIKE '%board.reordered%'").toArray(),
    );
    expect(published.length).toBeGreaterThan(0);
  });

  it('[WS12] a task is started once; its card then follows the session', async () => {
    const stub = newWorkspace();
    const { cardId } = await addCard(stub, 'task');
    const sessionId = createId('ses');
    expect(unwrap(await stub.startCard(cardId, sessionId))).toMatchObject({
      kind: 'starting',
      column: 'working',
      sessionId,
    });
    expect(unwrap(await stub.startCard(cardId, sessionId)).kind).toBe('starting');
    expect(refusedWith(await stub.startCard(cardId, createId('ses')))).toBe('card-started');
    expect(refusedWith(await stub.editCard(cardId, { title: 'other' }))).toBe('card-started');
    expect(refusedWith(await stub.removeCard(cardId))).toBe('card-started');
    await report(stub, { sessionId, title: 'reported', status: 'working' });
    expect(await columns(stub)).toMatchObject({ backlog: [], working: ['reported'] });
  });

  it('[WS12] a task may be started while others are working: it waits for a slot', async () => {
    const stub = newWorkspace();
    unwrap(await stub.patchSettings({ concurrency: { maxWorking: 1 } }, undefined));
    await report(stub, { status: 'working' });
    const { cardId } = await addCard(stub, 'second');
    expect(unwrap(await stub.startCard(cardId, createId('ses'))).column).toBe('working');
    expect(unwrap(await stub.readBoard())).toMatchObject({ working: 2, workingLimit: 1 });
  });

  it('[WS13] a repeated request makes one card; the same id with different content is a conflict', async () => {
    const stub = newWorkspace();
    const create = draft('task', { requestId: requestId() });
    const first = unwrap(await stub.createCard(create));
    expect(unwrap(await stub.createCard(create)).cardId).toBe(first.cardId);
    expect(refusedWith(await stub.createCard({ ...create, title: 'other' }))).toBe(
      'request-id-reused',
    );
    expect((await columns(stub)).backlog).toEqual(['task']);
  });

  it('[WS9] a column shows its first cards and the total', async () => {
    const stub = newWorkspace();
    await runInDurableObject(stub, (workspace: Workspace) => {
      for (let i = 0; i < CARDS_PER_COLUMN + 5; i++)
        unwrap(workspace.createCard(draft(`card ${i}`)));
    });
    const [backlog] = unwrap(await stub.readBoard()).columns;
    expect(backlog?.cards).toHaveLength(CARDS_PER_COLUMN);
    expect(backlog?.total).toBe(CARDS_PER_COLUMN + 5);
  });

  it('a draft can be edited and deleted', async () => {
    const stub = newWorkspace();
    const { cardId } = await addCard(stub, 'task');
    unwrap(await stub.editCard(cardId, { title: 'better', base: 'main' }));
    expect((await columns(stub)).backlog).toEqual(['better']);
    unwrap(await stub.removeCard(cardId));
    expect((await columns(stub)).backlog).toEqual([]);
  });
});
