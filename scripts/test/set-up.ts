import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../steps.ts';
import type { Selection } from './suites.ts';

/**
 * Builds and installs Debian packages, for all suites but units: a unit test should not wait for a build. False when it
 * failed; it has then printed why.
 */
export function setUpFor(selection: readonly Selection[]): boolean {
  if (selection.every(({ suite }) => suite === 'units')) return true;
  const script = join(ROOT, 'scripts', 'setup.mjs');
  // It prints the path of Node on stdout, and progress and errors on stderr.
  const { status } = spawnSync(process.execPath, [script, 'test'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return status === 0;
}
