import { closingLines } from '../verify/closing-lines.ts';
import { describeChange, verbOf } from './change-description.ts';

/** A changed path, as far as the subject needs it: a truncated list is sufficient. */
export interface TouchedFile {
  path: string;
  status: 'added' | 'deleted' | 'other';
}

export interface TypeFacts {
  /** The agent's summary, if any. The prompt's wording is not used. */
  summary: string | null;
  files: readonly TouchedFile[];
  /** Number of tests that failed before and pass now. */
  fixedTests?: number;
  /** Whether the new or changed tests fail on the base without the rest of the work. */
  isProven?: boolean;
}

/** Common folders and names of test files. */
export const TEST_FILE =
  /(^|\/)(tests?|__tests__|specs?)\/|(^|\/)test_[^/]+\.py$|[._-](test|spec|tests)\.\w+$|_test\.(go|py|rb|dart|exs?)$|(Test|Tests|Spec)\.(java|kt|php|cs|swift|scala)$/;

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));
const FIXES = setOf('fix correct resolve prevent avoid handle repair stop');
const FEATURES = setOf(
  'add implement create introduce support enable allow accept export expose extend let link print report show teach',
);
const REFACTORINGS = setOf(
  'refactor rename extract simplify move split clean inline unify rework remove delete drop',
);
const SPEED = setOf('speed optimize optimise cache');

/** Derives the type from the changed files, then from the agent's summary. `words`: the subject without its type. */
export function typeOf(facts: TypeFacts, words: string): string {
  const { files, fixedTests = 0, isProven = false } = facts;
  const summary = facts.summary ?? '';
  const byFiles = typeOfFiles(files);
  if (byFiles !== null) return byFiles;
  const verb = significantVerb(words, summary);
  if (FIXES.has(verb) || fixedTests > 0) return 'fix';
  if (REFACTORINGS.has(verb)) return 'refactor';
  if (SPEED.has(verb)) return 'perf';
  if (verb === 'revert') return 'revert';
  const isNew = files.some(({ path, status }) => status === 'added' && !TEST_FILE.test(path));
  if (!isNew && describesBug(summary)) return 'fix';
  if (FEATURES.has(verb) || isNew) return 'feat';
  // Existing code behaves differently now, and a test of this commit shows it.
  const hasTest = files.some(({ path }) => TEST_FILE.test(path));
  return isProven && hasTest ? 'fix' : 'chore';
}

function typeOfFiles(files: readonly TouchedFile[]): string | null {
  const all = (pattern: RegExp) =>
    files.length > 0 && files.every(({ path }) => pattern.test(path));
  if (all(/(^|\/)(docs\/|.*\.(md|mdx|rst|adoc)$)/i)) return 'docs';
  if (all(TEST_FILE)) return 'test';
  if (all(/(^|\/)\.(github|gitlab|circleci)\//)) return 'ci';
  if (all(/(^|\/)(package(-lock)?\.json|[\w.-]*lock[\w.-]*|Dockerfile|Makefile|go\.(mod|sum))$/))
    return 'build';
  return null;
}

const isSignificant = (verb: string): boolean =>
  [FIXES, FEATURES, REFACTORINGS, SPEED].some((kind) => kind.has(verb)) || verb === 'revert';

/** "Sum whole cents" does not name a type of change, but "I fixed" at the start of the agent's message does. */
function significantVerb(words: string, summary: string): string {
  const verbs = [words, describeChange(closingLines(summary).rest) ?? ''].map(verbOf);
  return verbs.find((verb) => verb !== null && isSignificant(verb)) ?? '';
}

const MAX_READ = 4_000;
const WRONG =
  '(?:loses?|los(?:t|ing)|drop(?:s|ped|ping)?|truncat(?:es?|ed|ing)|fail(?:s|ed|ing)?|crash(?:es|ed|ing)?|throw(?:s|ing)?|break(?:s|ing)?|leak(?:s|ed|ing)?|hang(?:s|ing)?|overflow(?:s|ed|ing)?|miscount(?:s|ed|ing)?)';

/** Phrases for behavior that was wrong. A topic such as "bug reports", or "no data is lost", must not match. */
const BUG: readonly RegExp[] = [
  /\b(?:fix(?:ed|es)|corrected|repaired) (?:it|this|that|the|how|by|in|[`"']?[\w.]+\()/i,
  /\b(?:the|this|that) (?:bug|defect|cause|root cause) (?:was|is|came)\b|\broot cause\b/i,
  new RegExp(`\\bno longer (?:\\w+ly )?${WRONG}\\b`, 'i'),
  new RegExp(`\\b(?:instead of|rather than) (?:\\w+ly )?${WRONG}\\b`, 'i'),
  /\b(?:was|were|got) (?:\w+ )?(?:wrong|incorrect|lost|truncated|dropped|broken|ignored|cut off|off by (?:one|a))\b/i,
  /(?<!\b(?:not|never|without|nothing) )\b(?:loses|lost) (?:\w+ )?(?:an?|one|the|its|cents?|pennies|data|precision|digits|rows|items|values)\b/i,
  /\b(?:off-by-one|rounding error|floating[- ]point error|regression test)s?\b/i,
];

/** Whether the agent says that something was wrong before. Includes its lines for the commit and the pull request. */
function describesBug(summary: string): boolean {
  const text = summary.slice(0, MAX_READ).replaceAll('`', '');
  return BUG.some((pattern) => pattern.test(text));
}
