import { spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.mjs';
import { SetupError } from './report.mjs';

/**
 * The programs that Ship needs on the machine, and the Debian package of each. `ship doctor` reads it too.
 * `rootOnly` programs are installed where possible and never required: Ship runs without them.
 * @type {ReadonlyArray<{command: string, package: string, why: string, profiles: readonly string[], rootOnly?: boolean}>}
 */
const MACHINE_PROGRAMS = JSON.parse(
  readFileSync(join(ROOT, 'apps/cli/machine-programs.json'), 'utf8'),
);

/** System folders only: a `python3` in a user's home folder does not exist inside a sandbox. */
const SYSTEM_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];

/** @param {string} command */
function isInstalled(command) {
  return SYSTEM_FOLDERS.some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Decides about missing programs: install them as root, or print one message with the command that an administrator runs.
 * @param {string[]} missing names of Debian packages with their reasons
 * @param {{isRoot: boolean, hasApt: boolean}} machine
 * @returns {string[]} the packages to install now
 */
export function planInstall(missing, { isRoot, hasApt }) {
  if (missing.length === 0) return [];
  const packages = missing.map((entry) => entry.split(' ', 1)[0] ?? entry);
  if (!hasApt) {
    throw new SetupError(
      `missing on this machine: ${missing.join(', ')}`,
      'Install them with your package manager and run the command again.',
    );
  }
  if (!isRoot) {
    throw new SetupError(
      `missing Debian packages: ${missing.join(', ')}`,
      `Run this once, then the command again:\n\n  sudo ${installCommand(packages)}`,
    );
  }
  return packages;
}

/** @param {import('../setup.mjs').Profile} profile */
export function ensureDebianPackages(profile) {
  const machine = { isRoot: process.getuid?.() === 0, hasApt: isInstalled('apt-get') };
  const missing = MACHINE_PROGRAMS.filter(
    ({ profiles, command, rootOnly = false }) =>
      profiles.includes(profile) && (!rootOnly || machine.isRoot) && !isInstalled(command),
  ).map((program) => `${program.package} (${program.why})`);
  const packages = planInstall(missing, machine);
  if (packages.length === 0) return;
  process.stderr.write(`ship: installing Debian packages: ${packages.join(', ')} …\n`);
  apt(['update'], packages);
  apt(installCommand(packages).split(' ').slice(1), packages);
}

/** @param {string[]} packages */
function installCommand(packages) {
  return `apt-get install -y --no-install-recommends ${packages.join(' ')}`;
}

/** @param {string[]} args @param {string[]} packages */
function apt(args, packages) {
  const result = spawnSync('apt-get', ['-qq', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    encoding: 'utf8',
  });
  if (result.status === 0) return;
  throw new SetupError(
    `apt-get ${args[0]} failed`,
    `${result.stderr.trim()}\n\nRun this yourself, then the command again:\n\n  apt-get update && ${installCommand(packages)}`,
  );
}
