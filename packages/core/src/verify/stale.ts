import type { SessionState } from '@ship/protocol';
import { isStale } from '../git/evidence-text.ts';

/** Whether tests have to run again because commits of others came to the branch since. */
export function needsNewEvidence({ activity, queue, git, verification }: SessionState): boolean {
  if (activity.status !== 'idle' || queue.length > 0) return false;
  if (git.pullRequest?.state !== 'open' || git.conflict !== null) return false;
  // A branch that was deleted has nothing to test.
  if (git.outside !== null && git.outside.sha === null) return false;
  return isStale(verification.after, git.outside?.sha ?? git.headSha);
}
