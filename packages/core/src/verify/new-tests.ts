import type { Diff, FileDiff, NewTests, VerificationRun } from '@ship/protocol';
import { VERIFICATION_LIMITS } from '@ship/protocol';
import { TEST_FILE } from '../git/commit-type.ts';

/** Test declarations of common languages and runners; a group is the test's name. */
const DECLARATIONS: readonly RegExp[] = [
  /^\s*(?:it|test|specify|scenario)(?:\.\w+)*\s*\(?\s*(['"`])((?:(?!\1).){1,200})\1/,
  /^\s*(?:async\s+)?def\s+(?<name>test_?\w+)\s*\(/,
  /^\s*func\s+(?<name>Test\w+)\s*\(/,
  /^\s*(?:pub\s+)?(?:async\s+)?fn\s+(?<name>\w*test\w*)\s*\(/,
  /^\s*(?:public\s+)?function\s+(?<name>test\w+)\s*\(/,
  /^\s*(?:public\s+)?void\s+(?<name>\w+)\s*\(/,
];

/** Test files that the work added or changed, and the names of their new tests. */
export function newTestsIn({ files }: Pick<Diff, 'files'>): { files: string[]; names: string[] } {
  const touched = files.filter(({ path, status }) => status !== 'deleted' && TEST_FILE.test(path));
  const names = touched.flatMap(namesIn);
  const { listedTests, nameCharacters } = VERIFICATION_LIMITS;
  return {
    files: touched.map(({ path }) => path).slice(0, listedTests),
    names: [...new Set(names)].map((name) => name.slice(0, nameCharacters)).slice(0, listedTests),
  };
}

function namesIn({ hunks }: FileDiff): string[] {
  return hunks.flatMap(({ lines }) => {
    // A moved test is not new.
    const removed = new Set(lines.filter((line) => line.startsWith('-')).flatMap(nameOf));
    const added = lines.filter((line) => line.startsWith('+')).flatMap(nameOf);
    return added.filter((name) => !removed.has(name));
  });
}

function nameOf(line: string): string[] {
  for (const declaration of DECLARATIONS) {
    const found = declaration.exec(line.slice(1, 500));
    if (found !== null) return [found.groups?.['name'] ?? found[2] ?? ''];
  }
  return [];
}

type Run = Pick<VerificationRun, 'verdict' | 'failing'>;

/** Judges the new tests on the base: `without` is their run there, `before` the base's own run. */
export function judgeNewTests(
  tests: { files: string[]; names: string[] },
  before: Run | null,
  without: Run | null,
): NewTests {
  const { verdict } = without ?? { verdict: 'unavailable' };
  const unknown: NewTests = { ...tests, withoutChange: 'unknown', failingWithoutChange: [] };
  if (without === null || (verdict !== 'passed' && verdict !== 'failed')) return unknown;
  if (verdict === 'passed') return { ...unknown, withoutChange: 'pass' };
  const known = new Set(before?.failing ?? []);
  const failing = without.failing.filter((name) => !known.has(name));
  // On a base that already fails, a failure without a new name says nothing.
  if (failing.length === 0 && before?.verdict !== 'passed') return unknown;
  return {
    ...unknown,
    withoutChange: 'fail',
    failingWithoutChange: failing.slice(0, VERIFICATION_LIMITS.listedTests),
  };
}
