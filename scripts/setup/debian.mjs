import { spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ROOT } from './paths.mjs';
import { SetupError } from './report.mjs';

/**
 * The programs that Ship needs from the machine, and the Debian package that brings each. `ship doctor` reads it too.
 * @type {ReadonlyArray<{command: string, package: string, why: string, profiles: readonly string[]}>}
 */
const MACHINE_PROGRAMS = JSON.parse(
  readFileSync(join(ROOT, 'apps/cli/machine-programs.json'), 'utf8'),
);

/** @param {string} command */
function isOnPath(command) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** @param {import('../setup.mjs').Profile} profile */
export function ensureDebianPackages(profile) {
  const missing = MACHINE_PROGRAMS.filter(
    (p) => p.profiles.includes(profile) && !isOnPath(p.command),
  );
  if (missing.length === 0) return;
  const packages = missing.map((program) => program.package);
  const install = `apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  const what = missing.map((program) => `${program.package} (${program.why})`).join(', ');
  if (!isOnPath('apt-get')) {
    throw new SetupError(
      `missing on this machine: ${what}`,
      'Install them with your package manager and run the command again.',
    );
  }
  if (process.getuid?.() !== 0) {
    throw new SetupError(
      `missing Debian packages: ${what}`,
      `Run this once, then the command again:\n\n  sudo ${install}`,
    );
  }
  process.stderr.write(`ship: installing Debian packages: ${packages.join(', ')} …\n`);
  apt(['update'], install);
  apt(install.split(' ').slice(1), install);
}

/** @param {string[]} args @param {string} install */
function apt(args, install) {
  const result = spawnSync('apt-get', ['-qq', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    encoding: 'utf8',
  });
  if (result.status === 0) return;
  throw new SetupError(
    `apt-get ${args[0]} failed`,
    `${result.stderr.trim()}\n\nRun this yourself, then the command again:\n\n  apt-get update && ${install}`,
  );
}
