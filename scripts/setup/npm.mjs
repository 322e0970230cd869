import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { checkAgainstLock } from './lock-drift.mjs';
import { ROOT } from './paths.mjs';
import { runStep } from './report.mjs';

/** Inside node_modules: deleting the folder must also delete the record that it is complete. */
const STAMP = join(ROOT, 'node_modules', '.ship-installed.json');

const DEVELOPMENT_TOOL = join(ROOT, 'node_modules', 'vitest');

/**
 * Installs npm dependencies when they are missing or older than the lock file.
 * `start` leaves out the development tools; a full install serves `start` too.
 * @param {string} node @param {import('../setup.mjs').Profile} profile
 */
export async function ensureNpmPackages(node, profile) {
  const wanted = { hash: manifestHash(), full: profile !== 'start' };
  const have = readStamp();
  if (have?.hash === wanted.hash && (have.full || !wanted.full)) return;
  // Never removes development tools that a plain `npm install` brought here.
  const full = wanted.full || have?.full === true || existsSync(DEVELOPMENT_TOOL);
  await runStep({
    title: full ? 'installing npm packages (with development tools)' : 'installing npm packages',
    command: 'npm',
    // Not `npm ci`: it removes node_modules under a server that is running from it, and refuses a lock file that
    // names an optional binary which a registry mirror lacks. `--no-save` keeps the lock file as committed.
    args: ['install', '--no-save', '--no-audit', '--no-fund', ...(full ? [] : ['--omit=dev'])],
    env: {
      ...process.env,
      PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
      PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
    },
    remedy:
      'Check that the npm registry can be reached and that the disk has 1 GB free, then run the command again.',
  });
  checkAgainstLock(ROOT);
  writeFileSync(STAMP, JSON.stringify({ ...wanted, full }));
}

/** @returns {{hash: string, full: boolean} | undefined} */
function readStamp() {
  try {
    return JSON.parse(readFileSync(STAMP, 'utf8'));
  } catch {
    return undefined;
  }
}

function manifestHash() {
  const hash = createHash('sha256');
  for (const file of ['package.json', 'package-lock.json', ...workspaceManifests()]) {
    hash.update(file).update(readFileSync(join(ROOT, file)));
  }
  return hash.digest('hex');
}

function workspaceManifests() {
  return ['apps', 'packages'].flatMap((group) =>
    readdirSync(join(ROOT, group))
      .sort()
      .map((name) => join(group, name, 'package.json'))
      .filter((file) => existsSync(join(ROOT, file))),
  );
}
