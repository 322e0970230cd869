import { join } from 'node:path';
import { objectEnvironment, type RepositoryPaths, refEnvironment } from './environment.ts';
import { checkRepository, openRepository, requireTrusted } from './open.ts';
import { type GitOptions, type GitResult, startGit } from './process.ts';
import type { Worktree } from './worktree-files.ts';

export { GitError } from './git-error.ts';
export { text } from './process.ts';

/** Runs a command that reads or writes objects by their ids. */
export async function gitObjects(
  paths: RepositoryPaths,
  argv: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  await checkRepository(paths);
  const environment = { ...objectEnvironment(paths, options.identity), ...options.environment };
  return startGit(argv, paths.neutralDir, environment, options);
}

/** Runs a command that reads or writes refs. */
export async function gitRefs(
  paths: RepositoryPaths,
  argv: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  const view = await openRepository(paths);
  const environment = { ...refEnvironment(paths, [], options.identity), ...options.environment };
  return startGit(argv, view, environment, options);
}

/** Runs a command on the index and the files of a working copy. */
export async function gitInWorktree(
  paths: RepositoryPaths,
  worktree: Worktree,
  argv: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  await openRepository(paths);
  await requireTrusted(paths, worktree.path, worktree.gitDir);
  // The view has the sparse-checkout patterns of the main working copy only.
  const extra: Array<[string, string]> = worktree.isLinked
    ? [['core.sparseCheckout', 'false']]
    : [];
  const environment = {
    ...refEnvironment(paths, extra, options.identity),
    GIT_WORK_TREE: worktree.path,
    GIT_INDEX_FILE: join(worktree.gitDir, 'index'),
    ...options.environment,
  };
  return startGit(argv, worktree.path, environment, options);
}
