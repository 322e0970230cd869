import type { SessionEvidence, SessionState } from '@ship/protocol';
import { isStale } from '../git/evidence-text.ts';

/** Whether tests must run again because others have pushed to the branch. */
export function needsNewEvidence({ activity, queue, git, verification }: SessionState): boolean {
  if (activity.status !== 'idle' || queue.length > 0) return false;
  if (git.pullRequest?.state !== 'open' || git.conflict !== null) return false;
  // A deleted branch has nothing to test.
  if (git.outside !== null && git.outside.sha === null) return false;
  return isStale(verification.after, branchHead(git));
}

/** The newest commit of the branch, by Ship or others. */
const branchHead = ({ outside, headSha }: SessionState['git']): string | null =>
  outside?.sha ?? headSha;

/** The tested commit, and whether the branch has a newer one; null before the first test. */
export function evidenceOf({ git, verification }: SessionState): SessionEvidence | null {
  const { after } = verification;
  if (after === null) return null;
  const headSha = branchHead(git);
  return { commit: after.commit ?? null, headSha, stale: isStale(after, headSha) };
}
