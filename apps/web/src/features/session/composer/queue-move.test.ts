import { createId } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { placeAfterMove } from './queue-move.ts';

const [a, b, c] = [createId('prm'), createId('prm'), createId('prm')];
const queue = [{ promptId: a }, { promptId: b }, { promptId: c }];

describe('placeAfterMove', () => {
  it.each([
    ['up to the front', 1, -1, null],
    ['up by one', 2, -1, a],
    ['down by one', 0, 1, b],
    ['not above the front', 0, -1, undefined],
    ['not below the end', 2, 1, undefined],
  ] as const)('[WB8] %s', (_, index, step, after) => {
    expect(placeAfterMove(queue, index, step)).toBe(after);
  });
});
