import type { FileDiff } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { judgeNewTests, newTestsIn } from './new-tests.ts';

const file = (
  path: string,
  lines: string[],
  status: FileDiff['status'] = 'modified',
): FileDiff => ({
  path,
  previousPath: null,
  status,
  additions: 1,
  deletions: 0,
  hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, section: '', lines }],
  omitted: null,
});

const failed = (...failing: string[]) => ({ verdict: 'failed' as const, failing });

describe('new tests', () => {
  it('[VF14] are found by file and by their declarations', () => {
    const files = [
      file('src/a.test.ts', [
        "+  it('sums snake_case', () => {",
        '+test.skip(`b`, f)',
        "-it('old', f)",
        "+it('old', g)",
      ]),
      file('tests/test_x.py', ['+def test_cents(self):', '+x = 1'], 'added'),
      file('cart_test.go', ['+func TestTotal(t *testing.T) {']),
      file('spec/cart_spec.rb', ["+  it 'has a total' do"]),
      file('src/a.ts', ["+it('not a test file')"]),
      file('src/gone.test.ts', ["-it('x')"], 'deleted'),
    ];
    expect(newTestsIn({ files })).toEqual({
      files: ['src/a.test.ts', 'tests/test_x.py', 'cart_test.go', 'spec/cart_spec.rb'],
      names: ['sums snake_case', 'b', 'test_cents', 'TestTotal', 'has a total'],
    });
  });

  it('[VF14] fail without the change only where a failure is new', () => {
    const tests = { files: ['a.test.ts'], names: [] };
    const of = (before: Parameters<typeof judgeNewTests>[1], without: typeof before) =>
      judgeNewTests(tests, before, without).withoutChange;
    const passed = { verdict: 'passed' as const, failing: [] };
    expect(of(passed, failed('a'))).toBe('fail');
    expect(of(passed, failed())).toBe('fail');
    expect(of(passed, passed)).toBe('pass');
    expect(of(failed('a'), failed('a', 'b'))).toBe('fail');
    expect(of(failed('a'), failed('a'))).toBe('unknown');
    expect(of(null, failed())).toBe('unknown');
    expect(of(passed, { verdict: 'timed-out', failing: [] })).toBe('unknown');
    expect(of(passed, null)).toBe('unknown');
  });
});
