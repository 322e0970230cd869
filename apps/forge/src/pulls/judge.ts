import { listCommitIds } from '../git/commits.ts';
import type { Place } from '../git/environment.ts';
import { isAncestor } from '../git/revisions.ts';
import { branchRef } from '../git/ref-names.ts';
import type { PullPatch } from '../store/pulls.ts';
import type { MergeIntentRow, PullRow } from '../store/rows.ts';

export interface Verdict {
  /** None when only the base moved on. */
  action?: 'synchronize' | 'closed';
  merged: boolean;
  mergedBy?: number;
  pull: PullPatch;
}

/** What a change of branches means for one open pull request; nothing when it is not concerned. */
export async function judgePull(
  place: Place,
  pull: PullRow,
  tips: ReadonlyMap<string, string>,
  moved: ReadonlySet<string>,
  intent: MergeIntentRow | undefined,
): Promise<Verdict | undefined> {
  const head = tips.get(branchRef(pull.head_ref));
  const base = tips.get(branchRef(pull.base_ref));
  if (
    intent !== undefined &&
    base !== undefined &&
    (await isAncestor(place, intent.after_sha, base))
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
  if (await isAncestor(place, head, base)) {
    // Somebody merged with git and pushed the base: the pull request is merged although nobody pressed the button.
    if (baseMoved && !(await isAncestor(place, head, pull.base_sha))) {
      const merge = await mergeCommitOf(place, head, base);
      return { action: 'closed', merged: true, pull: { head_sha: head, merge_commit_sha: merge } };
    }
    // The head was reset to what the base has already; nothing is left to merge.
    if (headMoved)
      return { action: 'closed', merged: false, pull: { head_sha: head, base_sha: base } };
  }
  if (head === pull.head_sha) return { merged: false, pull: { base_sha: base } };
  return { action: 'synchronize', merged: false, pull: { head_sha: head, base_sha: base } };
}

/** The first commit of the base that has the head in its history; the head itself when the base was fast-forwarded. */
async function mergeCommitOf(place: Place, head: string, base: string): Promise<string> {
  const query = { from: [base], without: [head], descendants: true, oldestFirst: true };
  return (await listCommitIds(place, query))[0] ?? head;
}
