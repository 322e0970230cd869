import { describe, expect, it } from 'vitest';
import { composeReview } from './review.ts';

describe('composeReview', () => {
  it('[WB12] composes one prompt from all comments, by file and line', () => {
    const text = composeReview([
      { path: 'b.ts', line: 3, code: '  return `x`;', text: 'Why? ' },
      { path: 'a.ts', line: 20, code: 'b()', text: 'Second' },
      { path: 'a.ts', line: 4, code: 'a()', text: 'First' },
    ]);
    expect(text).toBe(
      [
        'I reviewed your changes and have 3 comments. Please address them.',
        'a.ts:4 `a()`\nFirst',
        'a.ts:20 `b()`\nSecond',
        'b.ts:3 ``return `x`;``\nWhy?',
      ].join('\n\n'),
    );
  });
});
