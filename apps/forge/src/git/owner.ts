import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { unprocessable } from '../http/errors.ts';
import { readRegularFile } from './read-file.ts';

/** Owners that git accepts without `safe.directory`: the current account, and under sudo the account that called it. */
export function trustedOwners(
  uid = process.geteuid?.(),
  sudoUid = process.env['SUDO_UID'],
): ReadonlySet<number> | undefined {
  if (uid === undefined) return undefined;
  const isSudo = uid === 0 && sudoUid !== undefined && /^\d{1,10}$/.test(sudoUid);
  return new Set(isSudo ? [uid, Number(sudoUid)] : [uid]);
}

/** git's rule for `safe.directory`: `*` is every folder, an empty value resets the list, `/*` is a prefix. */
export function isSafeDirectory(path: string, values: readonly string[]): boolean {
  let isSafe = false;
  for (const value of values) {
    if (value === '') isSafe = false;
    else if (value === '*' || value === path) isSafe = true;
    else if (value.endsWith('/*') && path.startsWith(value.slice(0, -1))) isSafe = true;
  }
  return isSafe;
}

/** The user's own `safe.directory` settings. */
export type SafeDirectories = () => Promise<readonly string[]>;

/**
 * git's owner check, which git skips when GIT_DIR is set. Another account could change its files while the forge uses them.
 */
export async function checkOwner(paths: readonly string[], safe: SafeDirectories): Promise<void> {
  const trusted = trustedOwners();
  if (trusted === undefined) return;
  for (const path of paths) {
    const owner = lstatSync(path, { throwIfNoEntry: false })?.uid;
    if (owner === undefined || trusted.has(owner)) continue;
    const folder = folderOf(path);
    const values = await safe();
    if (isSafeDirectory(path, values) || isSafeDirectory(folder, values)) continue;
    throw unprocessable(
      `${path} belongs to another account (uid ${owner}). Run Ship as that account, or, if you trust the folder, run "git config --global --add safe.directory ${folder}".`,
    );
  }
}

/** The folder to name in `safe.directory`: the working copy for a path inside its `.git`. */
function folderOf(path: string): string {
  return path.replace(/\/\.git(?:\/.*)?$/, '').replace(/\/objects$/, '');
}

const maxAlternateDepth = 5;

/** The alternate object stores of a repository, followed as deep as git follows them. */
export function alternatesOf(objects: string): string[] {
  const found = new Set<string>();
  collectAlternates(objects, 0, found);
  return [...found];
}

/** Visits each store once: stores that name each other in many lines would take exponential time. */
function collectAlternates(objects: string, depth: number, found: Set<string>): void {
  if (depth > maxAlternateDepth) return;
  const text = readRegularFile(join(objects, 'info/alternates'), 1024 * 1024) ?? '';
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    // git quotes names that contain a line feed.
    if (line.startsWith('"'))
      throw unprocessable(
        `${join(objects, 'info/alternates')} has a quoted path, which is not supported. Run "git repack -a -d" there and remove the file.`,
      );
    const path = isAbsolute(line) ? line : resolve(objects, line);
    const real = realPath(path);
    if (real === undefined || found.has(real)) continue;
    found.add(real);
    collectAlternates(real, depth + 1, found);
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** Entries of a git folder that the forge reads or writes. */
const entries = [
  'HEAD',
  'config',
  'config.worktree',
  'objects',
  'objects/info',
  'objects/pack',
  'refs',
  'refs/heads',
  'refs/tags',
  'refs/ship',
  'refs/pull',
  'packed-refs',
  'shallow',
  'logs',
  'logs/refs',
  'worktrees',
  'index',
  'info',
  'info/sparse-checkout',
  'info/attributes',
];

/** A symlink could make the forge write into any other folder of the user. */
export function checkLinks(gitDir: string): void {
  for (const entry of entries) {
    const path = join(gitDir, entry);
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) continue;
    const real = realPath(path) ?? resolve(dirname(path), readlinkSync(path));
    if (`${real}/`.startsWith(`${gitDir}/`)) continue;
    throw unprocessable(
      `${path} is a symbolic link that points outside the git folder. Register the repository that it points to instead.`,
    );
  }
}
