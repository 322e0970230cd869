/**
 * Everything that a reviewer would check by machine: format, lint and boundaries, types, dead exports, manifests.
 * `npm run lint` and `npm run typecheck` run a part of it.
 */
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { type Step, ROOT, endStepsOnSignal, failedNames, runSteps, tool } from './steps.ts';

/** tsc checks only what changed since then; its hashes of content and options tell. Safe to delete. */
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
];

/**
 * The linter builds the same programs as tsc: it reports their type errors too, for half of the processor time that both
 * take in a clone without a cache. With one, tsc needs a few seconds.
 */
const LINT_WITH_TYPES: Step[] = LINT.map((step) =>
  step.args.includes('--type-aware')
    ? { ...step, name: 'lint, boundaries and types', args: [...step.args, '--type-check'] }
    : step,
);

/** The longest step comes first: begun last, it would run alone at the end. */
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
