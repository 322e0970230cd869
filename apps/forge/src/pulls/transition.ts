import { listCommitIds } from '../git/commits.ts';
import type { RepositoryPaths } from '../git/environment.ts';
import { isAncestor } from '../git/revisions.ts';
import { branchRef } from '../git/ref-names.ts';
import type { PullPatch } from '../store/pulls.ts';
import type { MergeIntentRow, PullRow } from '../store/rows.ts';

export interface PullTransition {
  /** Undefined when only the base moved. */
  action?: 'synchronize' | 'closed';
  merged: boolean;
  mergedBy?: number;
  pull: PullPatch;
}

/** How moved branches change an open pull request; undefined when they do not affect it. */
export async function pullTransition(
  paths: RepositoryPaths,
  pull: PullRow,
  tips: ReadonlyMap<string, string>,
  moved: ReadonlySet<string>,
  intent: MergeIntentRow | undefined,
): Promise<PullTransition | undefined> {
  const head = tips.get(branchRef(pull.head_ref));
  const base = tips.get(branchRef(pull.base_ref));
  if (
    intent !== undefined &&
    base !== undefined &&
    (await isAncestor(paths, intent.after_sha, base))
  )
    return {
      action: 'closed',
      merged: true,
      mergedBy: intent.user_id,
      pull: { base_sha: intent.before_sha, merge_commit_sha: intent.after_sha },
    };
  if (head === undefined || base === undefined)
    return { action: 'closed', merged: false, pull: {} };
  const headMoved = head !== pull.head_sha || moved.has(branchRef(pull.head_ref));
  const baseMoved = base !== pull.base_sha || moved.has(branchRef(pull.base_ref));
  if (!headMoved && !baseMoved) return undefined;
  if (await isAncestor(paths, head, base)) {
    // The base already contains the head: the user merged with git and pushed.
    if (baseMoved && !(await isAncestor(paths, head, pull.base_sha))) {
      const merge = await mergeCommitOf(paths, head, base);
      return { action: 'closed', merged: true, pull: { head_sha: head, merge_commit_sha: merge } };
    }
    // The head was reset to a commit of the base: nothing is left to merge.
    if (headMoved)
      return { action: 'closed', merged: false, pull: { head_sha: head, base_sha: base } };
  }
  if (head === pull.head_sha) return { merged: false, pull: { base_sha: base } };
  return { action: 'synchronize', merged: false, pull: { head_sha: head, base_sha: base } };
}

/** The first commit of the base that contains the head; the head itself after a fast-forward. */
async function mergeCommitOf(paths: RepositoryPaths, head: string, base: string): Promise<string> {
  const query = { from: [base], without: [head], descendants: true, oldestFirst: true };
  return (await listCommitIds(paths, query))[0] ?? head;
}
