/**
 * All automated checks of a review: format, lint and boundaries, types, dead exports, manifests, vocabulary.
 * `npm run lint` and `npm run typecheck` run a subset.
 */
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { type Step, ROOT, endStepsOnSignal, failedNames, runSteps, tool } from './steps.ts';

/** With these hashes of contents and options, tsc checks only the files that changed. Safe to delete. */
const TYPE_CACHE = join(ROOT, '.cache', 'types');

const LINT: Step[] = [
  { name: 'lint and boundaries', ...tool('oxlint', '--type-aware', '--deny-warnings') },
  { name: 'format', ...tool('oxfmt', '--check') },
];

const TYPES: Step[] = globSync(
  ['tsconfig.json', 'e2e/tsconfig.json', '{apps,packages}/*/{,test/}tsconfig.json'],
  { cwd: ROOT },
)
  .sort()
  .map((file) => file.replace(/\/?tsconfig.json$/, ''))
  .map((folder) => ({ folder, name: folder || 'scripts' }))
  .map(({ folder, name }) => ({
    name: `types of ${name}`,
    ...tool(
      'tsc',
      '-p',
      join(folder, 'tsconfig.json'),
      '--incremental',
      '--tsBuildInfoFile',
      join(TYPE_CACHE, `${name.replaceAll('/', '-')}.tsbuildinfo`),
    ),
  }));

const REST: Step[] = [
  { name: 'dead code', ...tool('knip', '--no-progress') },
  { name: 'manifests', ...tool('sherif', '--ignore-rule', 'root-package-manager-field') },
  { name: 'vocabulary', command: process.execPath, args: [join(ROOT, 'scripts/vocabulary.ts')] },
];

/**
 * The linter builds the same programs as tsc and can report their type errors too. Without a cache this halves the
 * processor time of running both; with one, tsc needs only a few seconds.
 */
const LINT_WITH_TYPES: Step[] = LINT.map((step) =>
  step.args.includes('--type-aware')
    ? { ...step, name: 'lint, boundaries and types', args: [...step.args, '--type-check'] }
    : step,
);

/** The longest step runs first: started last, it would run alone at the end. */
export const CHECKS: Step[] = existsSync(TYPE_CACHE)
  ? [...LINT, ...TYPES, ...REST]
  : [...LINT_WITH_TYPES, ...REST];

const PARTS: Record<string, Step[]> = { all: CHECKS, lint: LINT, types: TYPES };

if (import.meta.main) {
  const [part = 'all', ...rest] = process.argv.slice(2);
  const steps = Object.hasOwn(PARTS, part) && rest.length === 0 ? PARTS[part] : undefined;
  if (steps === undefined) {
    process.stderr.write(`check: takes one of ${Object.keys(PARTS).join(', ')}, or nothing\n`);
    process.exitCode = 2;
  } else {
    endStepsOnSignal();
    const failed = failedNames(await runSteps(steps, { quiet: true }));
    process.exitCode = failed.length === 0 ? 0 : 1;
  }
}
