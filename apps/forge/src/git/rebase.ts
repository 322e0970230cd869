import { type Commit, listCommitIds, readCommits } from './commits.ts';
import { emptyTree } from './diff.ts';
import type { Identity, Place } from './environment.ts';
import { mergeTrees, treeOf, writeCommit } from './merge.ts';

export type RebaseOutcome = { clean: true; tip: string } | { clean: false; conflicts: string[] };

const stand: Identity = { name: 'Ship forge', email: 'forge@localhost' };

/** Replays the commits of `head` that `base` lacks on top of `base`; merge commits are left out, as git's rebase does. */
export async function rebaseCommits(
  place: Place,
  base: string,
  head: string,
  committer: Identity,
  at: Date,
): Promise<RebaseOutcome> {
  const query = { from: [head], without: [base], oldestFirst: true, noMerges: true };
  const commits = await readCommits(place, await listCommitIds(place, query));
  let tip = base;
  let tree = await treeOf(place, base);
  for (const commit of commits) {
    const before = await parentTree(place, commit);
    const picked = await pick(place, before, tree, commit.tree, at);
    if (!picked.clean) return picked;
    // What the base has already is dropped; a commit that was empty from the start stays.
    if (picked.tree === tree && commit.tree !== before) continue;
    const { author, message } = commit;
    tip = await writeCommit(place, {
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

async function parentTree(place: Place, commit: Commit): Promise<string> {
  const parent = commit.parents[0];
  return parent === undefined ? emptyTree : treeOf(place, parent);
}

/**
 * A cherry-pick as a merge. `git merge-tree` finds the merge base from the history and, before git 2.40, cannot be told
 * one; so the three trees get a small history of their own: two commits on one parent.
 */
async function pick(place: Place, base: string, ours: string, theirs: string, at: Date) {
  if (base === ours) return { clean: true as const, tree: theirs };
  const draft = (tree: string, parents: string[], message: string) =>
    writeCommit(place, { tree, parents, message, author: stand, committer: stand, at });
  const root = await draft(base, [], 'base');
  const [left, right] = await Promise.all([
    draft(ours, [root], 'ours'),
    draft(theirs, [root], 'theirs'),
  ]);
  return mergeTrees(place, left, right);
}
