/**
 * `npm run test:watch -- [NAME…]`: runs the units, and again those that a change of a file touches. With names it watches
 * the files that match, of the processes suite too.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ROOT, tool } from './steps.ts';
import { setUpFor } from './test/set-up.ts';
import { type Selection, selectTests } from './test/suites.ts';

const USAGE = 'Usage: npm run test:watch -- [NAME…]';

function watch(selection: readonly Selection[], isNamed: boolean): void {
  const files = isNamed ? selection.flatMap((selected) => selected.files) : [];
  const { command, args } = tool('vitest', 'watch', ...files.map((file) => join(ROOT, file)));
  const env = { ...process.env, SHIP_TEST_SUITE: selection.map(({ suite }) => suite).join(',') };
  const child = spawn(command, args, { cwd: ROOT, stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  child.once('exit', (code) => (process.exitCode = code ?? 1));
}

const names = process.argv.slice(2);
const selection = names.some((name) => name === '' || name.startsWith('-'))
  ? { mistake: USAGE }
  : selectTests(names, names.length === 0 ? ['units'] : ['units', 'processes']);
if ('mistake' in selection) {
  process.stderr.write(`test:watch: ${selection.mistake}\n`);
  process.exitCode = 2;
} else if (setUpFor(selection)) {
  watch(selection, names.length > 0);
} else {
  process.exitCode = 1;
}
