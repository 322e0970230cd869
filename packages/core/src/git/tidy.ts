import type { DeleteBranch, GitState, SessionState } from '@ship/protocol';

/** Attempts to delete what a closed session has at the forge. A forge that refuses must not keep a session from its deletion. */
export const MAX_TIDY_ATTEMPTS = 5;
const FIRST_WAIT_MS = 10_000;

export type DeletionReason = 'merged' | 'closed' | 'ended';

/** Why the session's branch at the forge is deleted now; null while it stays. `rule` is the person's setting. */
export function branchDeletion(
  { branch, pushedSha, pullRequest, outside }: GitState,
  rule: DeleteBranch,
  isEnded: boolean,
): DeletionReason | null {
  // A branch that others moved holds their work; one that they deleted is gone.
  if (branch === null || pushedSha === null || outside !== null || rule === 'never') return null;
  if (pullRequest?.state === 'merged') return 'merged';
  if (rule === 'merged') return null;
  if (pullRequest?.state === 'closed') return 'closed';
  return isEnded ? 'ended' : null;
}

interface Tidying {
  tidyAttempts: number;
  tidyTriedAt: number;
  isTurnDriven: boolean;
}

/**
 * When to delete the saved states of a closed session at the forge, and its branch where the setting says so. Undefined
 * when there is nothing to do, or no longer.
 */
export function nextTidying(
  { activity, git }: Pick<SessionState, 'activity' | 'git'>,
  { tidyAttempts, tidyTriedAt, isTurnDriven }: Tidying,
): number | undefined {
  if (activity.status !== 'closed' || git.branch === null || isTurnDriven) return undefined;
  if (tidyAttempts >= MAX_TIDY_ATTEMPTS) return undefined;
  return tidyAttempts === 0 ? 0 : tidyTriedAt + FIRST_WAIT_MS * 2 ** (tidyAttempts - 1);
}
