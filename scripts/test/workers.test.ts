import { expect, it } from 'vitest';
import { parseWorkers, suiteLanes } from './workers.ts';

it('has a number for every suite, and one variable that sets all or some', () => {
  const usual = parseWorkers(undefined);
  expect(parseWorkers('')).toEqual(usual);
  expect(parseWorkers('5')).toEqual(
    Object.fromEntries(Object.keys(usual).map((suite) => [suite, 5])),
  );
  expect(parseWorkers('processes-long=3')).toEqual({ ...usual, 'processes-long': 3 });
  expect(parseWorkers('processes=3,browser=1')).toEqual({ ...usual, processes: 3, browser: 1 });
});

it.each(['0', 'many', 'party=2', 'units=', '65', '2,'])('%j is refused with the usage', (text) => {
  expect(() => parseWorkers(text)).toThrow('SHIP_TEST_WORKERS');
});

it('runs one suite at a time unless SHIP_TEST_LANES says more', () => {
  expect([suiteLanes(undefined), suiteLanes(''), suiteLanes('2')]).toEqual([1, 1, 2]);
  for (const text of ['0', '5', 'two']) expect(() => suiteLanes(text)).toThrow('SHIP_TEST_LANES');
});
