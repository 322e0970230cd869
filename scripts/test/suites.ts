/** The suites of `npm test` and their files. vitest.config.ts and playwright.config.ts read them here. */
import { globSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import { ROOT } from '../steps.ts';

/** `npm test` without arguments runs these. */
export const DEFAULT_SUITES = ['units', 'processes', 'workerd', 'browser'] as const;
/** `npm run test:long`: proofs that take too long for every change. `npm test` keeps a shorter case of each. */
const LONG_SUITES = ['processes-long', 'browser-long'] as const;
export const SUITE_NAMES = [...DEFAULT_SUITES, ...LONG_SUITES] as const;
export type SuiteName = (typeof SUITE_NAMES)[number];

const LONG_PROCESS_TESTS = '**/*.long.test.ts';
const LONG_BROWSER_TESTS = '**/*.long.e2e.ts';
const WORKERD_TESTS = 'apps/control-plane/**/*.workerd.test.ts';

interface SuiteFiles {
  include: string[];
  exclude: string[];
}

/** The globs are relative to the root of the repository. */
export const SUITE_FILES: Record<SuiteName, SuiteFiles> = {
  units: {
    include: ['{apps,packages}/*/src/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/*.workerd.test.ts'],
  },
  processes: {
    include: ['apps/*/*.test.ts', 'apps/*/test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/*.workerd.test.ts', LONG_PROCESS_TESTS],
  },
  workerd: { include: [WORKERD_TESTS], exclude: ['**/node_modules/**', '**/dist/**'] },
  browser: { include: ['e2e/**/*.e2e.ts'], exclude: ['**/node_modules/**', LONG_BROWSER_TESTS] },
  'processes-long': {
    include: [`apps/*/test/${LONG_PROCESS_TESTS}`],
    exclude: ['**/node_modules/**', '**/dist/**'],
  },
  'browser-long': { include: [`e2e/${LONG_BROWSER_TESTS}`], exclude: ['**/node_modules/**'] },
};

export interface Selection {
  suite: SuiteName;
  /** Relative to the root; all files of the suite when no name was given. */
  files: string[];
}

export function testFiles(suite: SuiteName): string[] {
  const { include, exclude } = SUITE_FILES[suite];
  return globSync(include, { cwd: ROOT, exclude }).sort();
}

/**
 * The runners compare names in different ways: vitest with the relative path, Playwright with the absolute one, where a
 * name may match the folder of the clone and so every test. Selecting here makes one rule, and starts no runner without files.
 */
export function selectTests(
  names: readonly string[],
  suites: readonly SuiteName[],
  filesOf: (suite: SuiteName) => string[] = testFiles,
): Selection[] | { mistake: string } {
  const parts = names.map(pathPart);
  const all = suites.map((suite) => ({ suite, files: filesOf(suite) }));
  const unmatched = names.filter((_, index) => {
    const part = parts[index] ?? '';
    return !all.some(({ files }) => files.some((file) => matches(file, part)));
  });
  if (unmatched.length > 0) return { mistake: nothingMatches(unmatched, suites) };
  const selected = all.map(({ suite, files }) => ({
    suite,
    files: files.filter((file) => parts.length === 0 || parts.some((part) => matches(file, part))),
  }));
  return selected.filter(({ files }) => files.length > 0);
}

const matches = (file: string, part: string): boolean => file.toLowerCase().includes(part);

/** Completion in a shell yields ./paths, an editor absolute ones. */
const pathPart = (name: string): string =>
  (isAbsolute(name) ? relative(ROOT, name) : name.replace(/^\.\//, '')).toLowerCase();

const nothingMatches = (names: string[], suites: readonly SuiteName[]): string =>
  [
    `No test file matches ${names.map((name) => `"${name}"`).join(' or ')}.`,
    `A name is a part of the path of a test file, such as core/src/retry; the suites searched are ${suites.join(', ')}.`,
  ].join('\n');
