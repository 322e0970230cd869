import type { SessionEvidence, SessionState } from '@ship/protocol';
import { isStale } from '../git/evidence-text.ts';

/** Whether tests have to run again because commits of others came to the branch since. */
export function needsNewEvidence({ activity, queue, git, verification }: SessionState): boolean {
  if (activity.status !== 'idle' || queue.length > 0) return false;
  if (git.pullRequest?.state !== 'open' || git.conflict !== null) return false;
  // A branch that was deleted has nothing to test.
  if (git.outside !== null && git.outside.sha === null) return false;
  return isStale(verification.after, branchHead(git));
}

/** The newest commit of the branch, whoever made it. */
const branchHead = ({ outside, headSha }: SessionState['git']): string | null =>
  outside?.sha ?? headSha;

/** Which commit the tests have judged, and whether the branch has newer ones; null before any test. */
export function evidenceOf({ git, verification }: SessionState): SessionEvidence | null {
  const { after } = verification;
  if (after === null) return null;
  const headSha = branchHead(git);
  return { commit: after.commit ?? null, headSha, stale: isStale(after, headSha) };
}
