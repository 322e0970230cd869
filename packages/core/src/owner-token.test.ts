import { expect, it } from 'vitest';
import { ownerTokenWeakness } from './owner-token.ts';

it.each([
  ['', 'fewer than 32 characters'],
  ['3f9a1c7e5b2d8064f1e3a9c7b5d2806', 'fewer than 32 characters'],
  ['7'.repeat(40), 'fewer than 8 different characters'],
  ['owner-'.padEnd(40, '7'), 'fewer than 8 different characters'],
  ['password-1'.repeat(4), 'repeats a shorter text'],
])('[AU17] %j could be guessed', (token, weakness) => {
  expect(ownerTokenWeakness(token)).toContain(weakness);
});

it.each(['3f9a1c7e5b2d8064f1e3a9c7b5d28064', 'correct horse battery staple, and some more'])(
  '[AU17] %j will do',
  (token) => {
    expect(ownerTokenWeakness(token)).toBeUndefined();
  },
);
