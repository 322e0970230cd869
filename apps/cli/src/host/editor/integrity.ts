import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

interface Locked {
  integrity?: string;
  link?: boolean;
  inBundle?: boolean;
}

type LockedPackages = Record<string, Locked>;

/** npm's record of installed packages with the verified hash of each archive. */
const INSTALLED = 'node_modules/.package-lock.json';
/** The lock file that a package contains. */
const SHRINKWRAP = 'npm-shrinkwrap.json';

function packagesOf(file: string): LockedPackages {
  // npm has just written or read this file; a package that it lacks counts as unknown.
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages?: LockedPackages };
  return packages ?? {};
}

/** Installed packages that the lock file lacks or has with another hash. */
function unlocked(lock: LockedPackages, installed: LockedPackages): string[] {
  return Object.entries(installed)
    .filter(([, { link, inBundle }]) => link !== true && inBundle !== true)
    .filter(([path, { integrity }]) => {
      const known = lock[path]?.integrity;
      return known === undefined || known !== integrity;
    })
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
}

/** A registry may serve any archive for a version: accept only the one that this release of Ship pins. */
export function requireIntegrity(archive: string, integrity: string): void {
  const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (found !== integrity)
    throw new Error(
      `the registry’s ${basename(archive)} is not the one that Ship pins: its hash is ${found}, not ${integrity}`,
    );
}

/** Refuses packages that the folder's own lock file does not name. */
export function requireLocked(folder: string): void {
  refuse(unlocked(packagesOf(join(folder, SHRINKWRAP)), packagesOf(join(folder, INSTALLED))));
}

function refuse(names: readonly string[]): void {
  if (names.length === 0) return;
  const shown = names.slice(0, 5).join(', ');
  throw new Error(`npm installed packages whose hash is in no lock file: ${shown}`);
}
