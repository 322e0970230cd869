/**
 * Makes a fresh clone ready, and finds out quickly that it already is.
 * Usage: node scripts/setup.mjs PROFILE   (start | test | check)
 * Prints progress on stderr and, last, the path of the Node to use on stdout.
 * Plain JavaScript without dependencies, because it runs before anything is installed, on Node 20.
 */
import { buildApps } from './setup/build.mjs';
import { ensureDebianPackages } from './setup/debian.mjs';
import { withSetupLock } from './setup/lock.mjs';
import { ensureNode } from './setup/node.mjs';
import { ensureNpmPackages } from './setup/npm.mjs';
import { SetupError, printError } from './setup/report.mjs';
import { measureSetup, saveSetupTimes } from './setup/times.mjs';

/** @typedef {'start' | 'test' | 'check'} Profile what a command needs: `test` ⊃ `start`, `check` is static only */

/** @type {readonly string[]} */
const PROFILES = ['start', 'test', 'check'];

async function main() {
  const profile = /** @type {Profile} */ (process.argv[2]);
  if (!PROFILES.includes(profile)) {
    throw new SetupError(`unknown profile "${profile}"`, `use one of: ${PROFILES.join(', ')}`);
  }
  const measured = measureSetup(`set-up in all (${profile})`);
  await withSetupLock(async () => {
    const node = await ensureNode();
    ensureDebianPackages(profile);
    await ensureNpmPackages(node, profile);
    if (profile !== 'check') await buildApps(node);
    measured();
    saveSetupTimes(profile);
    process.stdout.write(`${node}\n`);
  });
}

main().catch((error) => {
  printError(error);
  process.exitCode = 1;
});
