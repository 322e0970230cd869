import { createId } from '@ship/protocol';
import type { Board, Card, CardId } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { dropTarget, startsTask, moveByKey, neighbourCard } from './move.ts';

const draft = (cardId: CardId, position: number): Card => ({
  kind: 'draft',
  cardId,
  column: 'backlog',
  position,
  createdAt: 0,
  updatedAt: 0,
  draft: { title: 'x', text: '', repository: null, base: null, model: null },
});
const [a, b, c, d] = [createId('crd'), createId('crd'), createId('crd'), createId('crd')];
const board: Board = {
  columns: [
    { column: 'backlog', cards: [draft(a, 1), draft(b, 2), draft(c, 3)], total: 3 },
    { column: 'working', cards: [], total: 0 },
    { column: 'needs-you', cards: [draft(d, 1)], total: 1 },
  ],
  working: 0,
  workingLimit: 4,
  version: 1,
};

describe('moves on the board', () => {
  it.each([
    ['up to the top', b, 'up', { column: 'backlog', after: null }],
    ['up below another', c, 'up', { column: 'backlog', after: a }],
    ['down', a, 'down', { column: 'backlog', after: b }],
    ['right into an empty column', a, 'right', { column: 'working', after: null }],
    ['not above the top', a, 'up', undefined],
    ['not below the end', c, 'down', undefined],
    ['not out of the board', a, 'left', undefined],
  ] as const)('[WB2] by key: %s', (_, card, direction, target) => {
    expect(moveByKey(board, card, direction)).toEqual(target);
  });

  it('arrow keys skip empty columns and focus the nearest row', () => {
    expect(neighbourCard(board, c, 'right')).toBe(d);
    expect(neighbourCard(board, d, 'left')).toBe(a);
    expect(neighbourCard(board, d, 'right')).toBeUndefined();
    expect(neighbourCard(board, a, 'down')).toBe(b);
  });

  it.each([
    ['onto the upper half', { cardId: b, isBelow: false }, a],
    ['onto the lower half', { cardId: b, isBelow: true }, b],
    ['into the empty part', null, b],
    ['onto the upper half of the first', { cardId: a, isBelow: false }, null],
  ] as const)('[WB2] dropped %s', (_, over, after) => {
    expect(dropTarget(board, c, 'backlog', over)).toEqual({ column: 'backlog', after });
  });

  it('a drop on Working starts an unstarted task', () => {
    expect(startsTask(draft(a, 1), 'working')).toBe(true);
    expect(startsTask(draft(a, 1), 'done')).toBe(false);
  });
});
