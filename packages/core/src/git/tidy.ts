import type { DeleteBranch, GitState, SessionState } from '@ship/protocol';

/** Attempts to delete a closed session's refs at the forge. A forge that refuses must not block the session's deletion. */
export const MAX_TIDY_ATTEMPTS = 5;
const FIRST_WAIT_MS = 10_000;

export type DeletionReason = 'merged' | 'closed' | 'ended';

/** The reason to delete the session's branch at the forge now; null while it stays. `rule` is the person's setting. */
export function branchDeletion(
  { branch, pushedSha, pullRequest, outside }: GitState,
  rule: DeleteBranch,
  isEnded: boolean,
): DeletionReason | null {
  // A branch that others moved contains their work; one that they deleted no longer exists.
  if (branch === null || pushedSha === null || outside !== null || rule === 'never') return null;
  if (pullRequest?.state === 'merged') return 'merged';
  if (rule === 'merged') return null;
  if (pullRequest?.state === 'closed') return 'closed';
  return isEnded ? 'ended' : null;
}

interface CleanupFacts {
  tidyAttempts: number;
  tidyTriedAt: number;
  isTurnDriven: boolean;
}

/**
 * When to delete a closed session's checkpoints at the forge, and its branch if the setting says so. Undefined when nothing is
 * left to do, or after the last attempt.
 */
export function nextCleanup(
  { activity, git }: Pick<SessionState, 'activity' | 'git'>,
  { tidyAttempts, tidyTriedAt, isTurnDriven }: CleanupFacts,
): number | undefined {
  if (activity.status !== 'closed' || git.branch === null || isTurnDriven) return undefined;
  if (tidyAttempts >= MAX_TIDY_ATTEMPTS) return undefined;
  return tidyAttempts === 0 ? 0 : tidyTriedAt + FIRST_WAIT_MS * 2 ** (tidyAttempts - 1);
}
