import { join } from 'node:path';
import { objectEnvironment, type Place, refEnvironment } from './environment.ts';
import { checkRepository, openRepository, requireTrusted } from './open.ts';
import { type GitOptions, type GitResult, startGit } from './process.ts';
import type { Worktree } from './worktree-files.ts';

export { GitError } from './git-error.ts';
export { text } from './process.ts';

/** A command that reads or writes objects, named by their ids. */
export async function gitObjects(
  place: Place,
  argv: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  await checkRepository(place);
  const environment = { ...objectEnvironment(place, options.identity), ...options.environment };
  return startGit(argv, place.neutralDir, environment, options);
}

/** A command that reads or writes refs. */
export async function gitRefs(
  place: Place,
  argv: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  const view = await openRepository(place);
  const environment = { ...refEnvironment(place, [], options.identity), ...options.environment };
  return startGit(argv, view, environment, options);
}

/** A command on the index and the files of a working copy. */
export async function gitInWorktree(
  place: Place,
  worktree: Worktree,
  argv: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  await openRepository(place);
  await requireTrusted(place, worktree.path, worktree.gitDir);
  // The view has the patterns of the main working copy only.
  const extra: Array<[string, string]> = worktree.isLinked
    ? [['core.sparseCheckout', 'false']]
    : [];
  const environment = {
    ...refEnvironment(place, extra, options.identity),
    GIT_WORK_TREE: worktree.path,
    GIT_INDEX_FILE: join(worktree.gitDir, 'index'),
    ...options.environment,
  };
  return startGit(argv, worktree.path, environment, options);
}
