import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RepositoryPaths } from './environment.ts';
import { checkRepository } from './open.ts';
import { readRegularFile } from './read-file.ts';
import { GitError, gitInWorktree, gitObjects } from './run.ts';
import { listWorktrees, type Worktree } from './worktree-files.ts';

/** The folder where a branch is checked out: the main working copy or a linked worktree. */
export async function checkedOutAt(
  paths: RepositoryPaths,
  ref: string,
): Promise<string | undefined> {
  const worktrees = listWorktrees(paths, await checkRepository(paths));
  return worktrees.find((worktree) => worktree.ref === ref)?.path;
}

async function worktreeAt(paths: RepositoryPaths, folder: string): Promise<Worktree | undefined> {
  const worktrees = listWorktrees(paths, await checkRepository(paths));
  return worktrees.find((worktree) => worktree.path === folder && worktree.isVerified);
}

const unfinished: ReadonlyArray<readonly [string, string]> = [
  ['MERGE_HEAD', 'a merge'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick'],
  ['REVERT_HEAD', 'a revert'],
  ['rebase-merge', 'a rebase'],
  ['rebase-apply', 'a rebase'],
  ['index.lock', 'another git command'],
];

/** Why the files of a checked-out branch cannot be updated now; undefined when they can. */
export async function worktreeUpdateBlocker(
  paths: RepositoryPaths,
  folder: string,
  head: string,
): Promise<string | undefined> {
  const worktree = await worktreeAt(paths, folder);
  if (worktree === undefined)
    return `the files in ${folder} do not belong to this repository (git worktree repair may help)`;
  for (const [file, what] of unfinished)
    if (existsSync(join(worktree.gitDir, file))) return `${what} is in progress in ${folder}`;
  if (worktree.isLinked && existsSync(join(worktree.gitDir, 'info/sparse-checkout')))
    return `${folder} is a sparse checkout of a linked worktree, which only your own git can update`;
  const differs = async (...argv: string[]) =>
    (await gitInWorktree(paths, worktree, argv, { expectedCodes: [0, 1] })).code === 1;
  try {
    await differs('update-index', '-q', '--refresh');
    if (await differs('diff-files', '--quiet', '--ignore-submodules'))
      return `${folder} has uncommitted changes`;
    if (await differs('diff-index', '--quiet', '--cached', '--ignore-submodules', head))
      return `${folder} has staged, uncommitted changes`;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return `the index of ${folder} cannot be read (${reasonOf(error)})`;
  }
  return undefined;
}

const filterAttribute = /(?:^|\s)filter=/;

/**
 * The forge defines no filters, so that none can run; it would write wrong files where the user's git filters them.
 * `-a`: with a NUL byte git treats the file as binary, but its attributes still apply.
 */
export async function usesFilters(paths: RepositoryPaths, tree: string): Promise<boolean> {
  const attributes = readRegularFile(join(paths.gitDir, 'info/attributes')) ?? '';
  if (filterAttribute.test(attributes)) return true;
  const pattern = ['-a', '-E', '(^|[[:space:]])filter='];
  const argv = ['grep', '-q', ...pattern, tree, '--', ':(glob)**/.gitattributes'];
  return (await gitObjects(paths, argv, { expectedCodes: [0, 1] })).code === 0;
}

/** Updates index and files of a checked-out branch. Otherwise changes nothing and returns the reason (git checks each file). */
export async function updateWorktreeFiles(
  paths: RepositoryPaths,
  folder: string,
  before: string,
  after: string,
): Promise<string | undefined> {
  const worktree = await worktreeAt(paths, folder);
  if (worktree === undefined) return `${folder} does not belong to this repository`;
  try {
    await gitInWorktree(paths, worktree, ['read-tree', '-u', '-m', before, after]);
    return undefined;
  } catch (error) {
    if (error instanceof GitError) return reasonOf(error);
    throw error;
  }
}

export async function indexHasTree(
  paths: RepositoryPaths,
  folder: string,
  commit: string,
): Promise<boolean> {
  const worktree = await worktreeAt(paths, folder);
  if (worktree === undefined) return false;
  const argv = ['diff-index', '--quiet', '--cached', commit];
  const result = await gitInWorktree(paths, worktree, argv, { expectedCodes: [0, 1, 128] });
  return result.code === 0;
}

function reasonOf(error: GitError): string {
  return error.stderr.trim().replace(/^(?:error|fatal): /, '');
}
