import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Forge, placeOf } from '../forge.ts';
import type { Place } from '../git/environment.ts';
import { gitDirOf } from '../git/locate.ts';
import { checkRepository } from '../git/open.ts';
import { readRef, refTips } from '../git/refs.ts';
import { GitError, gitInWorktree, text } from '../git/run.ts';
import { headText, listWorktrees, type Worktree } from '../git/worktree-files.ts';
import type { RepositoryRow } from '../store/rows.ts';

/** What a person has in front of them in a folder, which work of others does not see. */
interface WorkingCopy {
  /** The branch that is checked out; null when HEAD is detached, or names a branch without a commit beside others. */
  branch: string | null;
  /** The commit of a detached HEAD. */
  detached_at: string | null;
  /** Files that are changed or new and not committed; null when that cannot be told. */
  uncommitted: number | null;
}

const NAMES = ['--name-only', '-z', '--no-renames', '--ignore-submodules'];
const PLAIN = ['--no-ext-diff', '--no-textconv'];
/** A build folder that nobody ignores may hold any number of files. */
const MAX_STATUS_BYTES = 1_000_000;

/** Of the folder itself, which may be a linked worktree of the repository; null for a bare one. */
export async function workingCopyAt(
  forge: Forge,
  row: RepositoryRow,
  path: string,
): Promise<WorkingCopy | null> {
  const folder = realpathSync(resolve(path));
  const gitDir = gitDirOf(folder);
  if (row.folder === null || gitDir === undefined) return null;
  const place = placeOf(forge, row);
  const worktree = listWorktrees(place, await checkRepository(place)).find(
    (one) => one.gitDir === gitDir && one.isOurs,
  );
  const head = headText(gitDir);
  if (worktree === undefined || head === undefined) return null;
  const [, named] = /^ref: refs\/heads\/(.+)$/.exec(head) ?? [];
  const tip = named === undefined ? undefined : await readRef(place, `refs/heads/${named}`);
  const detachedAt = head.startsWith('ref: ') ? null : head;
  return {
    branch: tip === undefined && (await hasBranches(place)) ? null : (named ?? null),
    detached_at: detachedAt,
    uncommitted: await countUncommitted(place, worktree, tip?.sha ?? detachedAt),
  };
}

async function hasBranches(place: Place): Promise<boolean> {
  return [...(await refTips(place)).keys()].some((name) => name.startsWith('refs/heads/'));
}

/**
 * Compares with the commit of that very worktree: `git status` would take the HEAD of the main one. Reads only: the index of
 * the user is not refreshed on disk.
 */
async function countUncommitted(
  place: Place,
  worktree: Worktree,
  commit: string | null,
): Promise<number | null> {
  const options = { maxBytes: MAX_STATUS_BYTES, environment: { GIT_OPTIONAL_LOCKS: '0' } };
  const list = async (argv: readonly string[]) =>
    text(await gitInWorktree(place, worktree, argv, options)).split('\0');
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
