import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from './report.mjs';

/** @typedef {{version?: string, integrity?: string, link?: boolean, inBundle?: boolean}} Locked */

/**
 * Compares what npm installed with the lock file. `unknown`: the lock file has no hash for it. `different`: the same version
 * with another hash, which npm itself should have refused.
 * @param {Record<string, Locked>} lock @param {Record<string, Locked>} installed
 */
export function lockDrift(lock, installed) {
  const drift = { unknown: /** @type {string[]} */ ([]), different: /** @type {string[]} */ ([]) };
  for (const [path, one] of Object.entries(installed)) {
    if (!path.includes('node_modules/') || one.link || one.inBundle) continue;
    const name = `${path.slice(path.lastIndexOf('node_modules/') + 13)}@${one.version}`;
    const known = lock[path];
    if (known?.integrity === undefined || known.version !== one.version) drift.unknown.push(name);
    else if (known.integrity !== one.integrity) drift.different.push(name);
  }
  return drift;
}

/**
 * Runs after an installation: lists packages that the lock file lacks, and fails on a package with another hash.
 * @param {string} root @param {(text: string) => void} [write]
 */
export function checkAgainstLock(root, write = (text) => void process.stderr.write(text)) {
  const { unknown, different } = lockDrift(
    packagesOf(join(root, 'package-lock.json')),
    packagesOf(join(root, 'node_modules', '.package-lock.json')),
  );
  if (different.length > 0)
    throw new SetupError(
      `npm installed packages with other hashes than package-lock.json has: ${list(different)}`,
      'Delete node_modules, check which registry npm uses (npm config get registry), then run the command again.',
    );
  if (unknown.length > 0)
    write(
      `ship: warning: npm chose packages that package-lock.json does not have: ${list(unknown)}\n` +
        '  They were not checked against a hash of this repository. A registry mirror may lack the locked version.\n',
    );
}

/** @param {string[]} names */
function list(names) {
  const more = names.length > 10 ? ` and ${names.length - 10} more` : '';
  return `${names.slice(0, 10).join(', ')}${more}`;
}

/** @param {string} file @returns {Record<string, Locked>} */
function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
}
