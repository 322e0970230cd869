/**
 * Finds a repository by its files. `git rev-parse` would read the configuration of the folder that it runs in; this code
 * starts no program, so that a user's path can be inspected before anything in it is trusted.
 */
import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { readRegularFile } from './read-file.ts';

export interface FoundTop {
  /** The root of a working copy, or a bare repository itself. */
  top: string;
  isBareLayout: boolean;
}

/** Searches a folder and its parents, as git does. */
export function findTop(folder: string): FoundTop | undefined {
  for (let at = realpathSync(folder); ; at = dirname(at)) {
    if (gitDirOf(at) !== undefined) return { top: at, isBareLayout: false };
    if (isGitDir(at)) return { top: at, isBareLayout: true };
    if (at === dirname(at)) return undefined;
  }
}

/** A folder with HEAD, objects and refs: the layout that git itself requires. */
export function isGitDir(path: string): boolean {
  return isEntry(path, 'HEAD') && isFolder(join(path, 'objects')) && isFolder(join(path, 'refs'));
}

/** The git folder that `.git` of a working copy is or names. For a linked worktree: its private one, not the common one. */
export function gitDirOf(folder: string): string | undefined {
  const entry = join(folder, '.git');
  const target = isFolder(entry) ? entry : namedGitDir(folder, entry);
  if (target === undefined || !isFolder(target)) return undefined;
  const isLinked = isEntry(target, 'HEAD') && isEntry(target, 'commondir');
  return isLinked || isGitDir(target) ? realpathSync(target) : undefined;
}

function namedGitDir(folder: string, file: string): string | undefined {
  const [, path] = /^gitdir: ([^\0]+?)[\r\n]*$/.exec(readRegularFile(file, 8192) ?? '') ?? [];
  return path === undefined ? undefined : resolve(folder, path);
}

/** The folder that linked worktrees share (objects, refs, config). For any other git folder: the folder itself. */
export function commonDirOf(gitDir: string): string | undefined {
  if (!existsSync(join(gitDir, 'commondir'))) return gitDir;
  const path = readRegularFile(join(gitDir, 'commondir'), 8192)?.trim() ?? '';
  const common = resolve(gitDir, path);
  return path !== '' && isGitDir(common) ? realpathSync(common) : undefined;
}

/** Both sides must name each other: a folder may falsely claim to be a worktree of another repository. */
export function isWorktreeOf(folder: string, gitDir: string, common: string): boolean {
  const entry = join(common, 'worktrees', basename(gitDir));
  const back = linkedDotGit(entry);
  return (
    existsSync(entry) &&
    realpathSync(entry) === gitDir &&
    back !== undefined &&
    existsSync(back) &&
    realpathSync(dirname(back)) === folder
  );
}

/** The `.git` file that the entry of a linked worktree points to. */
export function linkedDotGit(entry: string): string | undefined {
  const text = readRegularFile(join(entry, 'gitdir'), 8192)?.trim();
  return text === undefined || text === '' || basename(text) !== '.git'
    ? undefined
    : resolve(entry, text);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** HEAD may be a dangling symlink in a repository without commits that an old git created. */
function isEntry(folder: string, name: string): boolean {
  return existsSync(join(folder, name)) || isLink(join(folder, name));
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
