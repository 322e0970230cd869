/** Lists the worktrees of a repository from git's files. */
import { lstatSync, readdirSync, readlinkSync, existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { RepositoryPaths } from './environment.ts';
import { gitDirOf, linkedDotGit } from './locate.ts';
import { readRegularFile } from './read-file.ts';
import type { RepositoryConfig } from './repository-config.ts';

export interface Worktree {
  path: string;
  /** The folder of its HEAD and index. */
  gitDir: string;
  isLinked: boolean;
  /** Full ref name; undefined when HEAD is detached. */
  ref: string | undefined;
  /** Its `.git` points back to this repository. Otherwise the folder belongs to another one. */
  isVerified: boolean;
}

/** `ref: NAME` or an id; undefined when it is neither. Old versions of git made HEAD a symlink. */
export function headText(gitDir: string): string | undefined {
  const file = join(gitDir, 'HEAD');
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  const text = isLink ? `ref: ${readlinkSync(file)}` : (readRegularFile(file, 8192) ?? '');
  const [, ref, sha] = /^(?:ref:\s*(refs\/[^\s\0]+)|([0-9a-f]{40}))\s*$/.exec(text) ?? [];
  return ref === undefined ? sha : `ref: ${ref}`;
}

function headRef(gitDir: string): string | undefined {
  const text = headText(gitDir);
  return text?.startsWith('ref: ') === true ? text.slice('ref: '.length) : undefined;
}

/** The branch of HEAD, even an unborn one; undefined when HEAD is detached. */
export function headBranch(gitDir: string): string | undefined {
  const ref = headRef(gitDir);
  return ref?.startsWith('refs/heads/') === true ? ref.slice('refs/heads/'.length) : undefined;
}

export function linkedEntries(gitDir: string): string[] {
  try {
    return readdirSync(join(gitDir, 'worktrees'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
  } catch {
    return [];
  }
}

/** git's rule: the config, else the name of the git folder. */
export function isBareRepository(paths: RepositoryPaths, config: RepositoryConfig): boolean {
  return config.isBare ?? (typeof paths.folder !== 'string' && basename(paths.gitDir) !== '.git');
}

/** The main working copy; undefined for a bare repository, or when it cannot be found. */
export function mainFolder(paths: RepositoryPaths, config: RepositoryConfig): string | undefined {
  const { gitDir, folder } = paths;
  if (isBareRepository(paths, config)) return undefined;
  const candidates = [
    ...(config.worktree === undefined ? [] : [resolve(gitDir, config.worktree)]),
    ...(basename(gitDir) === '.git' ? [dirname(gitDir)] : []),
    ...(typeof folder === 'string' ? [folder] : []),
  ];
  const found = candidates.find((path) => gitDirOf(path) === gitDir);
  return found === undefined ? undefined : realpathSync(found);
}

/** The main working copy and linked worktrees. Omits linked worktrees whose folder no longer exists. */
export function listWorktrees(paths: RepositoryPaths, config: RepositoryConfig): Worktree[] {
  const { gitDir } = paths;
  const worktrees: Worktree[] = [];
  if (!isBareRepository(paths, config)) {
    const path = mainFolder(paths, config);
    const entry = { gitDir, isLinked: false, ref: headRef(gitDir) };
    worktrees.push({ ...entry, path: path ?? gitDir, isVerified: path !== undefined });
  }
  for (const id of linkedEntries(gitDir)) {
    const entry = join(gitDir, 'worktrees', id);
    const dotGit = linkedDotGit(entry);
    if (dotGit === undefined || !existsSync(dotGit)) continue;
    const path = realpathSync(dirname(dotGit));
    const isVerified = gitDirOf(path) === entry;
    worktrees.push({ path, gitDir: entry, isLinked: true, ref: headRef(entry), isVerified });
  }
  return worktrees;
}
