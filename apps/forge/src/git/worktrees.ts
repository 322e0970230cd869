import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from './environment.ts';
import { checkRepository } from './open.ts';
import { readRegularFile } from './read-file.ts';
import { GitError, gitInWorktree, gitObjects } from './run.ts';
import { listWorktrees, type Worktree } from './worktree-files.ts';

/** Where a branch is checked out, in the folder itself or in a linked worktree. */
export async function checkedOutAt(place: Place, ref: string): Promise<string | undefined> {
  const worktrees = listWorktrees(place, await checkRepository(place));
  return worktrees.find((worktree) => worktree.ref === ref)?.path;
}

async function worktreeAt(place: Place, folder: string): Promise<Worktree | undefined> {
  const worktrees = listWorktrees(place, await checkRepository(place));
  return worktrees.find((worktree) => worktree.path === folder && worktree.isOurs);
}

const unfinished: ReadonlyArray<readonly [string, string]> = [
  ['MERGE_HEAD', 'a merge'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick'],
  ['REVERT_HEAD', 'a revert'],
  ['rebase-merge', 'a rebase'],
  ['rebase-apply', 'a rebase'],
  ['index.lock', 'another git command'],
];

/** Why the files of a checked-out branch cannot be brought forward now; none when they can. */
export async function whyNotMovable(
  place: Place,
  folder: string,
  head: string,
): Promise<string | undefined> {
  const worktree = await worktreeAt(place, folder);
  if (worktree === undefined)
    return `the files in ${folder} do not belong to this repository (git worktree repair may help)`;
  for (const [file, what] of unfinished)
    if (existsSync(join(worktree.gitDir, file))) return `${what} is under way in ${folder}`;
  if (worktree.isLinked && existsSync(join(worktree.gitDir, 'info/sparse-checkout')))
    return `${folder} is a sparse checkout of a linked worktree, which only your own git can update`;
  const differs = async (...argv: string[]) =>
    (await gitInWorktree(place, worktree, argv, { answers: [0, 1] })).code === 1;
  try {
    await differs('update-index', '-q', '--refresh');
    if (await differs('diff-files', '--quiet', '--ignore-submodules'))
      return `${folder} has changes that are not committed`;
    if (await differs('diff-index', '--quiet', '--cached', '--ignore-submodules', head))
      return `${folder} has staged changes that are not committed`;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return `the index of ${folder} cannot be read (${reasonOf(error)})`;
  }
  return undefined;
}

const filterAttribute = /(?:^|\s)filter=/;

/**
 * The forge defines no filters, so that none can run; it would write the files without them, which is wrong for the user.
 * `-a`: a NUL byte makes git take the file for binary, and leaves its attributes in force.
 */
export async function usesFilters(place: Place, tree: string): Promise<boolean> {
  const own = readRegularFile(join(place.gitDir, 'info/attributes')) ?? '';
  if (filterAttribute.test(own)) return true;
  const pattern = ['-a', '-E', '(^|[[:space:]])filter='];
  const argv = ['grep', '-q', ...pattern, tree, '--', ':(glob)**/.gitattributes'];
  return (await gitObjects(place, argv, { answers: [0, 1] })).code === 0;
}

/** Moves index and files of a checked-out branch, or changes nothing and says why (git checks every file itself). */
export async function moveFiles(
  place: Place,
  folder: string,
  before: string,
  after: string,
): Promise<string | undefined> {
  const worktree = await worktreeAt(place, folder);
  if (worktree === undefined) return `${folder} does not belong to this repository`;
  try {
    await gitInWorktree(place, worktree, ['read-tree', '-u', '-m', before, after]);
    return undefined;
  } catch (error) {
    if (error instanceof GitError) return reasonOf(error);
    throw error;
  }
}

export async function indexHasTree(place: Place, folder: string, commit: string): Promise<boolean> {
  const worktree = await worktreeAt(place, folder);
  if (worktree === undefined) return false;
  const argv = ['diff-index', '--quiet', '--cached', commit];
  const result = await gitInWorktree(place, worktree, argv, { answers: [0, 1, 128] });
  return result.code === 0;
}

function reasonOf(error: GitError): string {
  return error.stderr.trim().replace(/^(?:error|fatal): /, '');
}
