import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Forge, pathsOf } from '../forge.ts';
import type { RepositoryPaths } from '../git/environment.ts';
import { gitDirOf } from '../git/locate.ts';
import { checkRepository } from '../git/open.ts';
import { readRef, refTips } from '../git/refs.ts';
import { GitError, gitInWorktree, text } from '../git/run.ts';
import { headText, listWorktrees, type Worktree } from '../git/worktree-files.ts';
import type { RepositoryRow } from '../store/rows.ts';

/** The local state of a working copy, which sessions do not see. */
interface WorkingCopy {
  /** The checked-out branch; null when HEAD is detached, or on an unborn branch while other branches exist. */
  branch: string | null;
  /** The commit of a detached HEAD, else null. */
  detached_at: string | null;
  /** Number of changed or new files that are not committed; null when unknown. */
  uncommitted: number | null;
}

const NAMES = ['--name-only', '-z', '--no-renames', '--ignore-submodules'];
const PLAIN = ['--no-ext-diff', '--no-textconv'];
/** A build folder that is not ignored may hold any number of files. */
const MAX_STATUS_BYTES = 1_000_000;

/** Reads the state of `path`, which may be a linked worktree of the repository; null for a bare repository. */
export async function workingCopyAt(
  forge: Forge,
  row: RepositoryRow,
  path: string,
): Promise<WorkingCopy | null> {
  const folder = realpathSync(resolve(path));
  const gitDir = gitDirOf(folder);
  if (row.folder === null || gitDir === undefined) return null;
  const paths = pathsOf(forge, row);
  const worktree = listWorktrees(paths, await checkRepository(paths)).find(
    (one) => one.gitDir === gitDir && one.isVerified,
  );
  const head = headText(gitDir);
  if (worktree === undefined || head === undefined) return null;
  const [, named] = /^ref: refs\/heads\/(.+)$/.exec(head) ?? [];
  const tip = named === undefined ? undefined : await readRef(paths, `refs/heads/${named}`);
  const detachedAt = head.startsWith('ref: ') ? null : head;
  return {
    branch: tip === undefined && (await hasBranches(paths)) ? null : (named ?? null),
    detached_at: detachedAt,
    uncommitted: await countUncommitted(paths, worktree, tip?.sha ?? detachedAt),
  };
}

async function hasBranches(paths: RepositoryPaths): Promise<boolean> {
  return [...(await refTips(paths)).keys()].some((name) => name.startsWith('refs/heads/'));
}

/**
 * Compares with the commit of this worktree: `git status` would use the HEAD of the main one. Read-only: the user's index is
 * not refreshed on disk.
 */
async function countUncommitted(
  paths: RepositoryPaths,
  worktree: Worktree,
  commit: string | null,
): Promise<number | null> {
  const options = { maxBytes: MAX_STATUS_BYTES, environment: { GIT_OPTIONAL_LOCKS: '0' } };
  const list = async (argv: readonly string[]) =>
    text(await gitInWorktree(paths, worktree, argv, options)).split('\0');
  try {
    const lists = [
      commit === null
        ? await list(['ls-files', '-z'])
        : await list(['diff', '--cached', ...PLAIN, ...NAMES, commit]),
      await list(['diff', ...PLAIN, ...NAMES]),
      await list(['ls-files', '--others', '--exclude-standard', '-z']),
    ];
    return new Set(lists.flat().filter((name) => name !== '')).size;
  } catch (error) {
    if (error instanceof GitError) return null;
    throw error;
  }
}
