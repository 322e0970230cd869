/** Worktrees of a repository, from the files that git keeps of them. */
import { lstatSync, readdirSync, readlinkSync, existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Place } from './environment.ts';
import { gitDirOf, linkedDotGit } from './locate.ts';
import { readRegularFile } from './read-file.ts';
import type { RepositoryConfig } from './repository-config.ts';

export interface Worktree {
  path: string;
  /** Where its HEAD and its index are. */
  gitDir: string;
  isLinked: boolean;
  /** Full ref name; none when HEAD is detached. */
  ref: string | undefined;
  /** Its `.git` leads back to this repository. One that does not is somebody else's folder. */
  isOurs: boolean;
}

/** `ref: NAME` or an id; undefined when it is neither. An old git made HEAD a link. */
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

/** The branch that HEAD names, even when it has no commit yet; none when HEAD is detached. */
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

/** As git decides it: what the config says, else by the name of the git folder. */
export function isBareRepository(place: Place, config: RepositoryConfig): boolean {
  return config.isBare ?? (typeof place.folder !== 'string' && basename(place.gitDir) !== '.git');
}

/** The folder that the repository itself is checked out in; none for a bare one, or when it cannot be found. */
export function mainFolder(place: Place, config: RepositoryConfig): string | undefined {
  const { gitDir, folder } = place;
  if (isBareRepository(place, config)) return undefined;
  const candidates = [
    ...(config.worktree === undefined ? [] : [resolve(gitDir, config.worktree)]),
    ...(basename(gitDir) === '.git' ? [dirname(gitDir)] : []),
    ...(typeof folder === 'string' ? [folder] : []),
  ];
  const found = candidates.find((path) => gitDirOf(path) === gitDir);
  return found === undefined ? undefined : realpathSync(found);
}

/** Where branches are checked out. Linked worktrees whose folder is gone are left out. */
export function listWorktrees(place: Place, config: RepositoryConfig): Worktree[] {
  const { gitDir } = place;
  const worktrees: Worktree[] = [];
  if (!isBareRepository(place, config)) {
    const path = mainFolder(place, config);
    const own = { gitDir, isLinked: false, ref: headRef(gitDir) };
    worktrees.push({ ...own, path: path ?? gitDir, isOurs: path !== undefined });
  }
  for (const id of linkedEntries(gitDir)) {
    const own = join(gitDir, 'worktrees', id);
    const dotGit = linkedDotGit(own);
    if (dotGit === undefined || !existsSync(dotGit)) continue;
    const path = realpathSync(dirname(dotGit));
    const isOurs = gitDirOf(path) === own;
    worktrees.push({ path, gitDir: own, isLinked: true, ref: headRef(own), isOurs });
  }
  return worktrees;
}
