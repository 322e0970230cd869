import { expect, it } from 'vitest';
import { parseFuzzOptions } from './fuzz-options.ts';

it('takes the size and the seed of a fuzz run, and has both by default', () => {
  expect(parseFuzzOptions([])).toEqual({ cases: 8_000, seed: 20_260_918 });
  expect(parseFuzzOptions(['--cases', '50', '--seed=0'])).toEqual({ cases: 50, seed: 0 });
});

it.each([
  [['--cases', '0']],
  [['--cases', '1e9']],
  [['--seed', '-1']],
  [['--cases', '100001']],
  [['--fast']],
  [['some.test.ts']],
])('%j is a usage mistake', (args) => {
  expect(parseFuzzOptions(args)).toHaveProperty('mistake');
});
