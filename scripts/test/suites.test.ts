import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../steps.ts';
import { SUITE_NAMES, type SuiteName, selectTests, testFiles } from './suites.ts';

const FILES: Record<SuiteName, string[]> = {
  units: ['packages/core/src/retry/policy.test.ts', 'packages/core/src/session/evolve.test.ts'],
  processes: ['apps/cli/test/run.test.ts'],
  workerd: ['apps/control-plane/src/session/evolve.workerd.test.ts'],
  browser: ['e2e/session.e2e.ts'],
  'processes-long': ['apps/forge/test/ten-tasks.long.test.ts'],
  'browser-long': ['e2e/every-page.long.e2e.ts'],
};
const select = (names: string[], suites: readonly SuiteName[] = SUITE_NAMES) =>
  selectTests(names, suites, (suite) => FILES[suite]);

describe('selection of tests by name', () => {
  it('takes every file of every suite without a name', () => {
    expect(select([])).toEqual(SUITE_NAMES.map((suite) => ({ suite, files: FILES[suite] })));
  });

  it('leaves out the suites in which no file matches, so that their runners are not started', () => {
    expect(select(['policy'])).toEqual([
      { suite: 'units', files: ['packages/core/src/retry/policy.test.ts'] },
    ]);
  });

  it('combines several names, in any case', () => {
    expect(select(['EVOLVE', 'cli/test'])).toEqual([
      { suite: 'units', files: ['packages/core/src/session/evolve.test.ts'] },
      { suite: 'processes', files: FILES.processes },
      { suite: 'workerd', files: FILES.workerd },
    ]);
  });

  it('keeps long tests apart, and finds them by name', () => {
    expect(select(['ten-tasks'])).toEqual([
      { suite: 'processes-long', files: FILES['processes-long'] },
    ]);
    expect(testFiles('processes').filter((file) => file.includes('.long.'))).toEqual([]);
    expect(testFiles('browser').filter((file) => file.includes('.long.'))).toEqual([]);
  });

  it('takes paths as shells and editors give them', () => {
    const expected = [{ suite: 'browser', files: FILES.browser }];
    expect(select(['./e2e/session.e2e.ts'])).toEqual(expected);
    expect(select([join(ROOT, 'e2e/session.e2e.ts')])).toEqual(expected);
  });

  it('does not match the folder of the clone', () => {
    const folder = ROOT.split('/').at(-2) ?? '';
    expect(select([`/${folder}/`])).toHaveProperty('mistake');
  });

  it('refuses a name that matches nothing, even beside one that does', () => {
    expect(select(['policy', 'polcy'])).toEqual({ mistake: expect.stringContaining('"polcy"') });
    expect(select(['policy'], ['browser'])).toEqual({
      mistake: expect.stringContaining('browser'),
    });
  });

  it('finds the real files of each suite, and no file in two suites', () => {
    const all = SUITE_NAMES.flatMap((suite) => testFiles(suite));
    for (const suite of SUITE_NAMES) expect(testFiles(suite).length).toBeGreaterThan(0);
    expect(new Set(all).size).toBe(all.length);
    expect(testFiles('units')).toContain('scripts/test/suites.test.ts');
  });
});
