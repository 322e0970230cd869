/**
 * Finds a repository by its files. `git rev-parse` would read the configuration of whatever folder it is started in;
 * nothing here starts a program, so that a path of the user can be examined before anything in it is trusted.
 */
import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { readRegularFile } from './read-file.ts';

export interface FoundTop {
  /** The root of a working copy, or a bare repository itself. */
  top: string;
  isBareLayout: boolean;
}

/** Looks in a folder and above it, as git does. */
export function findTop(folder: string): FoundTop | undefined {
  for (let at = realpathSync(folder); ; at = dirname(at)) {
    if (gitDirOf(at) !== undefined) return { top: at, isBareLayout: false };
    if (isGitDir(at)) return { top: at, isBareLayout: true };
    if (at === dirname(at)) return undefined;
  }
}

/** A folder with HEAD, objects and refs: the layout that git itself asks for. */
export function isGitDir(path: string): boolean {
  return isEntry(path, 'HEAD') && isFolder(join(path, 'objects')) && isFolder(join(path, 'refs'));
}

/** The git folder that `.git` of a working copy is, or names. That of a linked worktree is its own, not the common one. */
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

/** What a linked worktree shares with the others: objects, refs, config. Of any other git folder, the folder itself. */
export function commonDirOf(gitDir: string): string | undefined {
  if (!existsSync(join(gitDir, 'commondir'))) return gitDir;
  const path = readRegularFile(join(gitDir, 'commondir'), 8192)?.trim() ?? '';
  const common = resolve(gitDir, path);
  return path !== '' && isGitDir(common) ? realpathSync(common) : undefined;
}

/** Both sides have to name each other; a folder that only claims to be a worktree of another repository is none. */
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

/** The `.git` file that the entry of a linked worktree leads back to. */
export function linkedDotGit(entry: string): string | undefined {
  const text = readRegularFile(join(entry, 'gitdir'), 8192)?.trim();
  return text === undefined || text === '' || basename(text) !== '.git'
    ? undefined
    : resolve(entry, text);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** HEAD may be a link that leads nowhere, in a repository without commits that an old git made. */
function isEntry(folder: string, name: string): boolean {
  return existsSync(join(folder, name)) || isLink(join(folder, name));
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
