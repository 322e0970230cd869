import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

interface Locked {
  integrity?: string;
  link?: boolean;
  inBundle?: boolean;
}

type LockedPackages = Record<string, Locked>;

/** What npm verified while it installed: the hash that each archive had. */
const INSTALLED = 'node_modules/.package-lock.json';
/** The lock file that a package brings along. */
const SHRINKWRAP = 'npm-shrinkwrap.json';

function packagesOf(file: string): LockedPackages {
  // npm's own file, which it has just written or read; a package that is missing in it counts as unknown.
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages?: LockedPackages };
  return packages ?? {};
}

/** Packages that the lock file does not have, or has with another hash. */
function unlocked(lock: LockedPackages, installed: LockedPackages): string[] {
  return Object.entries(installed)
    .filter(([, { link, inBundle }]) => link !== true && inBundle !== true)
    .filter(([path, { integrity }]) => {
      const known = lock[path]?.integrity;
      return known === undefined || known !== integrity;
    })
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
}

/** A registry may answer a version with any archive; only the one that this release of Ship was made with is opened. */
export function requireIntegrity(archive: string, integrity: string): void {
  const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (found !== integrity)
    throw new Error(
      `the registry’s ${basename(archive)} is not the one that Ship knows: its hash is ${found}, not ${integrity}`,
    );
}

/** What a lock file in the folder itself names, and nothing else. */
export function requireLocked(folder: string): void {
  refuse(unlocked(packagesOf(join(folder, SHRINKWRAP)), packagesOf(join(folder, INSTALLED))));
}

function refuse(names: readonly string[]): void {
  if (names.length === 0) return;
  const shown = names.slice(0, 5).join(', ');
  throw new Error(`npm installed packages that no lock file has with this hash: ${shown}`);
}
