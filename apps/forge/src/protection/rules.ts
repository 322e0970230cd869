/** What a branch is protected against. Here the rules hold for everybody: whoever may write at all is an administrator. */
export interface ProtectionRules {
  /** Null when a merge needs no review, and commits may be pushed. */
  approvals: number | null;
  /** Names of statuses and check runs that have to pass; null when none has to. */
  checks: string[] | null;
  /** Told, as GitHub's API wants it, and nothing more. */
  strict: boolean;
  enforceAdmins: boolean;
  allowForcePushes: boolean;
  allowDeletions: boolean;
}

export interface Attempt {
  isDeletion: boolean;
  isForced: boolean;
}

/** Why a branch may not be moved past its pull requests, in GitHub's words; undefined when it may. */
export function refuseUpdate(rules: ProtectionRules, attempt: Attempt): string | undefined {
  if (attempt.isDeletion) return rules.allowDeletions ? undefined : 'Cannot delete this branch';
  if (rules.approvals !== null) return 'Changes must be made through a pull request.';
  const [first] = rules.checks ?? [];
  if (first !== undefined) return `Required status check "${first}" is expected.`;
  return attempt.isForced && !rules.allowForcePushes
    ? 'Cannot force-push to this branch'
    : undefined;
}

export interface Standing {
  /** The newest word of each reviewer who is not the author. */
  verdicts: readonly string[];
  /** By name: what statuses and check runs of the head say. */
  results: ReadonlyMap<string, 'pending' | 'success' | 'failure'>;
}

/** Why a pull request may not be merged yet, in GitHub's words; undefined when it may. */
export function refuseMerge(rules: ProtectionRules, standing: Standing): string | undefined {
  if (rules.approvals !== null) {
    if (standing.verdicts.includes('CHANGES_REQUESTED'))
      return 'Changes have been requested by a reviewer with write access.';
    const given = standing.verdicts.filter((verdict) => verdict === 'APPROVED').length;
    if (given < rules.approvals)
      return `At least ${rules.approvals} approving review${rules.approvals === 1 ? ' is' : 's are'} required by reviewers with write access.`;
  }
  for (const name of rules.checks ?? []) {
    const result = standing.results.get(name);
    if (result === undefined || result === 'pending')
      return `Required status check "${name}" is expected.`;
    if (result === 'failure') return `Required status check "${name}" is failing.`;
  }
  return undefined;
}
