import { describe, expect, it } from 'vitest';
import { withoutEscapes } from './escapes.ts';
import { judgeRun } from './judge.ts';

describe('output without escape sequences', () => {
  it('[VF17] colors and titles are removed, the rest stays', () => {
    expect(withoutEscapes('\u001b[31mred\u001b[39m \u001b]0;title\u0007[ok]\n')).toBe('red [ok]\n');
    expect(withoutEscapes('a [31m b')).toBe('a [31m b');
  });

  it('[VF17] a colored report is parsed', () => {
    const output =
      '\u001b[2m Test Files \u001b[22m \u001b[1m\u001b[31m1 failed\u001b[39m\u001b[22m\u001b[90m (1)\u001b[39m\n' +
      '\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[31m1 failed\u001b[39m\u001b[22m\u001b[2m | \u001b[22m\u001b[1m\u001b[32m2 passed\u001b[39m\u001b[22m\u001b[90m (3)\u001b[39m\n';
    expect(judgeRun({ exitCode: 1, output: withoutEscapes(output) }).counts).toMatchObject({
      passed: 2,
      failed: 1,
    });
  });
});
