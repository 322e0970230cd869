import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { quoteArgv } from './quote-argv.ts';

it('[SX1] every word reaches the program as it is, whatever it contains', () => {
  const word = fc
    .string({ unit: 'binary', maxLength: 20 })
    .filter((text) => !/[\0\uD800-\uDFFF]/.test(text));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
      const print = [
        'node',
        '-e',
        'process.stdout.write(JSON.stringify(process.argv.slice(1)))',
        '--',
        ...words,
      ];
      const output = execFileSync('/bin/bash', ['-c', quoteArgv(print)], { encoding: 'utf8' });
      expect(JSON.parse(output)).toEqual(words);
    }),
    { numRuns: 40 },
  );
});
