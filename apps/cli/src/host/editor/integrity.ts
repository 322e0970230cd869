import { readFileSync } from 'node:fs';
import { join } from 'node:path';

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
export function unlocked(lock: LockedPackages, installed: LockedPackages): string[] {
  return Object.entries(installed)
    .filter(([, { link, inBundle }]) => link !== true && inBundle !== true)
    .filter(([path, { integrity }]) => {
      const known = lock[path]?.integrity;
      return known === undefined || known !== integrity;
    })
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
}

/** A registry may answer a version with any archive; only the one that this release of Ship was made with is taken. */
export function requirePinned(folder: string, name: string, integrity: string): void {
  const installed = packagesOf(join(folder, INSTALLED));
  const root = `node_modules/${name}`;
  const found = installed[root]?.integrity ?? 'none';
  if (found !== integrity)
    throw new Error(
      `the registry’s ${name} is not the one that Ship knows: its hash is ${found}, not ${integrity}`,
    );
  const own = Object.entries(installed).flatMap(([path, one]) =>
    path.startsWith(`${root}/`) ? [[path.slice(root.length + 1), one] as const] : [],
  );
  const others = Object.keys(installed).filter((path) => !`${path}/`.startsWith(`${root}/`));
  refuse([
    ...unlocked(packagesOf(join(folder, root, SHRINKWRAP)), Object.fromEntries(own)),
    ...others,
  ]);
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
