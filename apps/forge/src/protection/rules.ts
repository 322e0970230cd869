/** Rules of a protected branch. They apply to all users: everyone with write access is an administrator here. */
export interface ProtectionRules {
  /** Null when a merge needs no review and commits may be pushed directly. */
  approvals: number | null;
  /** Names of required statuses and check runs; null when there are none. */
  checks: string[] | null;
  /** Stored and returned for GitHub's API, but not enforced. */
  strict: boolean;
  enforceAdmins: boolean;
  allowForcePushes: boolean;
  allowDeletions: boolean;
}

export interface RefUpdateKind {
  isDeletion: boolean;
  isForced: boolean;
}

/** Why a direct update of a branch is refused, in GitHub's words; undefined when it is allowed. */
export function refuseUpdate(rules: ProtectionRules, update: RefUpdateKind): string | undefined {
  if (update.isDeletion) return rules.allowDeletions ? undefined : 'Cannot delete this branch';
  if (rules.approvals !== null) return 'Changes must be made through a pull request.';
  const [first] = rules.checks ?? [];
  if (first !== undefined) return `Required status check "${first}" is expected.`;
  return update.isForced && !rules.allowForcePushes
    ? 'Cannot force-push to this branch'
    : undefined;
}

export interface MergeReadiness {
  /** The latest review state of each reviewer, without the author. */
  reviewStates: readonly string[];
  /** Statuses and check runs of the head, by name. */
  checkResults: ReadonlyMap<string, 'pending' | 'success' | 'failure'>;
}

/** Why a pull request cannot be merged yet, in GitHub's words; undefined when it can. */
export function refuseMerge(rules: ProtectionRules, readiness: MergeReadiness): string | undefined {
  if (rules.approvals !== null) {
    if (readiness.reviewStates.includes('CHANGES_REQUESTED'))
      return 'Changes have been requested by a reviewer with write access.';
    const approvals = readiness.reviewStates.filter((state) => state === 'APPROVED').length;
    if (approvals < rules.approvals)
      return `At least ${rules.approvals} approving review${rules.approvals === 1 ? ' is' : 's are'} required by reviewers with write access.`;
  }
  for (const name of rules.checks ?? []) {
    const result = readiness.checkResults.get(name);
    if (result === undefined || result === 'pending')
      return `Required status check "${name}" is expected.`;
    if (result === 'failure') return `Required status check "${name}" is failing.`;
  }
  return undefined;
}
