import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeRun } from './judge.ts';
import { OUTPUTS } from './outputs.ts';
import { readTestReport } from './read-report.ts';

const one = { passed: 1, failed: 1, skipped: 1 };
const READ: [keyof typeof OUTPUTS, string, typeof one | null, string[]][] = [
  ['vitest', 'vitest', one, ['a.test.ts > pages > fails here']],
  ['jest', 'jest', { ...one, failed: 2 }, ['pages › fails here', 'alone']],
  ['tap', 'node:test', { ...one, skipped: 2 }, ['fails here']],
  ['spec', 'node:test', { ...one, failed: 2 }, ['fails here', 'alone']],
  ['mocha', 'mocha', one, ['pages inner fails here']],
  ['pytest', 'pytest', one, ['test_a.py::test_bad']],
  ['unittest', 'unittest', one, ['test_bad (test_a.T.test_bad)']],
  ['cargo', 'cargo test', one, ['tests::bad']],
  ['go', 'go test', null, ['TestBad']],
  ['verboseGo', 'go test', one, ['TestBad']],
  ['ava', 'ava', one, ['fails here']],
  ['avaPassed', 'ava', { passed: 2, failed: 0, skipped: 0 }, []],
  ['plainTap', 'tap', one, ['should be 2']],
  ['tapEnd', 'tap', one, ['fails here']],
  ['nodeTap', 'tap', one, ['fails here']],
  ['rspec', 'rspec', one, ['pages fails here']],
  ['phpunit', 'phpunit', one, ['Tests\\PagesTest::testFailsHere']],
  ['maven', 'junit', one, ['PagesTest.failsHere']],
  ['gradle', 'junit', one, ['PagesTest > failsHere()']],
  ['junitXml', 'junit', one, ['pages > fails <here>']],
  ['bun', 'bun', one, ['pages > fails here']],
];

describe('result of a run', { timeout: 60_000 }, () => {
  it.each(READ)('[VF2] parses the output of %s', (name, runner, counts, failing) => {
    expect(readTestReport(OUTPUTS[name])).toEqual({ runner, counts, failing });
    const coloured = OUTPUTS[name].replaceAll('\n', '\u001B[0m\r\n\u001B[31m');
    expect(readTestReport(coloured)).toEqual({ runner, counts, failing });
  });

  it('[VF2] parses any text, up to a limit', () => {
    const lines = fc.constantFrom(...Object.values(OUTPUTS).flatMap((text) => text.split('\n')));
    const text = fc.array(fc.oneof(lines, fc.string()), { maxLength: 200 });
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 255 }), (parts, exitCode) => {
        const { verdict, counts, failing } = judgeRun({ exitCode, output: parts.join('\n') });
        expect(failing.length).toBeLessThanOrEqual(50);
        expect(failing.every((name) => name.length > 0 && name.length <= 300)).toBe(true);
        for (const count of Object.values(counts ?? {})) expect(count).toBeGreaterThanOrEqual(0);
        expect(verdict === 'passed').toBe(exitCode === 0);
      }),
    );
    const many = Array.from({ length: 500 }, (_, n) => `test t${n} ... FAILED`).join('\n');
    const report = readTestReport(`${many}\ntest result: FAILED. 0 passed; 500 failed; 0 ignored;`);
    expect(report).toMatchObject({ counts: { failed: 500 } });
    expect(report?.failing).toHaveLength(50);
  });

  it('[VF3] what could not run is not verified, never failed', () => {
    for (const [exitCode, output] of [
      [127, 'sh: 1: vitest: not found'],
      [126, 'bash: ./test: Permission denied'],
      [1, '/usr/bin/python3: No module named pytest'],
      [2, 'make: *** [Makefile:2: test] Error 127'],
      [101, 'error: no such command: `nextest`'],
    ] as const)
      expect(judgeRun({ exitCode, output })).toEqual({
        verdict: 'unavailable',
        counts: null,
        failing: [],
      });
    expect(judgeRun({ exitCode: null, output: OUTPUTS.spec }).verdict).toBe('timed-out');
  });

  it('[VF16] a port conflict with another run says nothing about the base', () => {
    const output = 'Error: listen EADDRINUSE: address already in use :::3000';
    expect(judgeRun({ exitCode: 1, output, isBeside: true }).verdict).toBe('unavailable');
    expect(judgeRun({ exitCode: 1, output }).verdict).toBe('failed');
  });

  it('[VF3] a failed run stays failed, even if its output says otherwise', () => {
    expect(judgeRun({ exitCode: 127, output: OUTPUTS.spec }).verdict).toBe('failed');
    expect(judgeRun({ exitCode: 1, output: `sh: x: not found\n${OUTPUTS.pytest}` })).toMatchObject({
      verdict: 'failed',
      failing: ['test_a.py::test_bad'],
    });
    expect(judgeRun({ exitCode: 1, output: 'assertion failed' }).verdict).toBe('failed');
    expect(judgeRun({ exitCode: 0, output: OUTPUTS.spec })).toMatchObject({
      verdict: 'passed',
      failing: [],
    });
  });
});
