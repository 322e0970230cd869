import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { quoteArgv } from '../src/sandbox/quote-argv.ts';

it('[SX1] every word reaches the program unchanged', () => {
  const word = fc
    .string({ unit: 'binary', maxLength: 20 })
    .filter((text) => !/[\0\uD800-\uDFFF]/.test(text));
  const words = fc.sample(fc.array(word, { minLength: 1, maxLength: 5 }), {
    numRuns: 200,
    seed: 7,
  });
  // One shell for all: starting two hundred would take longer than the rest of the suite.
  const script = words.map((argv) => `printf '%s\\0' ${quoteArgv(argv)}; printf '\\0'`).join('\n');
  const output = execFileSync('/bin/bash', ['-c', script], { encoding: 'utf8' });
  expect(output).toBe(words.map((argv) => `${argv.join('\0')}\0\0`).join(''));
});
