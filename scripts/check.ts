/** Everything that a reviewer would check by machine: format, lint and boundaries, types, dead exports, manifests. */
import { globSync } from 'node:fs';
import { ROOT, type Step, runSteps, tool } from './steps.ts';

export const CHECKS: Step[] = [
  { name: 'format', ...tool('oxfmt', '--check') },
  { name: 'lint and boundaries', ...tool('oxlint', '--type-aware', '--deny-warnings') },
  ...globSync(['tsconfig.json', 'e2e/tsconfig.json', '{apps,packages}/*/{,test/}tsconfig.json'], {
    cwd: ROOT,
  })
    .sort()
    .map((file) => ({
      name: `types of ${file.replace(/\/?tsconfig.json$/, '') || 'scripts'}`,
      ...tool('tsc', '-p', file),
    })),
  { name: 'dead code', ...tool('knip', '--no-progress') },
  { name: 'manifests', ...tool('sherif', '--ignore-rule', 'root-package-manager-field') },
];

if (import.meta.main) {
  const failed = await runSteps(CHECKS, { quiet: true });
  process.exitCode = failed.length === 0 ? 0 : 1;
}
