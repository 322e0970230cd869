import { type Commit, listCommitIds, readCommits } from './commits.ts';
import { emptyTree } from './diff.ts';
import type { Identity, RepositoryPaths } from './environment.ts';
import { mergeTrees, treeOf, writeCommit } from './merge.ts';

export type RebaseOutcome = { clean: true; tip: string } | { clean: false; conflicts: string[] };

const temporaryIdentity: Identity = { name: 'Ship forge', email: 'forge@localhost' };

/** Replays the commits of `head` that `base` lacks on top of `base`; merge commits are left out, as git's rebase does. */
export async function rebaseCommits(
  paths: RepositoryPaths,
  base: string,
  head: string,
  committer: Identity,
  at: Date,
): Promise<RebaseOutcome> {
  const query = { from: [head], without: [base], oldestFirst: true, noMerges: true };
  const commits = await readCommits(paths, await listCommitIds(paths, query));
  let tip = base;
  let tree = await treeOf(paths, base);
  for (const commit of commits) {
    const before = await parentTree(paths, commit);
    const picked = await cherryPick(paths, before, tree, commit.tree, at);
    if (!picked.clean) return picked;
    // Drop commits whose change the base already has; keep commits that were empty before.
    if (picked.tree === tree && commit.tree !== before) continue;
    const { author, message } = commit;
    tip = await writeCommit(paths, {
      tree: picked.tree,
      parents: [tip],
      message,
      author,
      committer,
      at,
    });
    tree = picked.tree;
  }
  return { clean: true, tip };
}

async function parentTree(paths: RepositoryPaths, commit: Commit): Promise<string> {
  const parent = commit.parents[0];
  return parent === undefined ? emptyTree : treeOf(paths, parent);
}

/**
 * A cherry-pick as a merge. Before git 2.40 `git merge-tree` has no option for the merge base, so this builds a temporary
 * history of the three trees: two commits on one parent.
 */
async function cherryPick(
  paths: RepositoryPaths,
  base: string,
  ours: string,
  theirs: string,
  at: Date,
) {
  if (base === ours) return { clean: true as const, tree: theirs };
  const draft = (tree: string, parents: string[], message: string) =>
    writeCommit(paths, {
      tree,
      parents,
      message,
      author: temporaryIdentity,
      committer: temporaryIdentity,
      at,
    });
  const root = await draft(base, [], 'base');
  const [left, right] = await Promise.all([
    draft(ours, [root], 'ours'),
    draft(theirs, [root], 'theirs'),
  ]);
  return mergeTrees(paths, left, right);
}
