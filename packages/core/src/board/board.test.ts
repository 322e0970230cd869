import { BoardColumn, SessionStatus } from '@ship/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnOf } from './column.ts';
import { positionBetween, spreadPositions } from './order.ts';

const pullRequest = (state: 'open' | 'merged' | 'closed') => ({
  number: 1,
  url: 'http://forge/1',
  state,
  draft: false,
});

describe('the column of a session', () => {
  it.each([
    [{ status: 'working', needsYou: null, pullRequest: null }, 'working'],
    [{ status: 'starting', needsYou: null, pullRequest: null }, 'working'],
    [{ status: 'working', needsYou: null, pullRequest: pullRequest('open') }, 'working'],
    [{ status: 'working', needsYou: 'question', pullRequest: null }, 'needs-you'],
    [{ status: 'failed', needsYou: null, pullRequest: pullRequest('open') }, 'needs-you'],
    [{ status: 'idle', needsYou: null, pullRequest: null }, 'needs-you'],
    [{ status: 'idle', needsYou: null, pullRequest: pullRequest('open') }, 'in-review'],
    [{ status: 'idle', needsYou: null, pullRequest: pullRequest('merged') }, 'done'],
    [{ status: 'idle', needsYou: null, pullRequest: pullRequest('closed') }, 'done'],
    [{ status: 'closed', needsYou: 'error', pullRequest: null }, 'done'],
  ] as const)('[WS9] of %j is %s', (session, column) => expect(columnOf(session)).toBe(column));

  it('[WS9] every status has one', () => {
    for (const status of SessionStatus.options)
      expect(BoardColumn.options).toContain(
        columnOf({ status, needsYou: null, pullRequest: null }),
      );
  });
});

describe('positions', () => {
  it('[WS10] any sequence of insertions keeps the requested order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 300 }), (places) => {
        let positions: number[] = [];
        for (const place of places) {
          const index = place % (positions.length + 1);
          const between = () =>
            positionBetween(positions[index - 1] ?? null, positions[index] ?? null);
          let position = between();
          if (position === undefined) {
            positions = spreadPositions(positions.length);
            position = between();
          }
          expect(position).toBeDefined();
          positions.splice(index, 0, position ?? Number.NaN);
          expect(positions).toEqual([...new Set(positions)].toSorted((a, b) => a - b));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('[WS10] is undefined when no number is left between two neighbours', () => {
    expect(positionBetween(1, 1 + Number.EPSILON)).toBeUndefined();
    expect(positionBetween(1, 1)).toBeUndefined();
  });
});
