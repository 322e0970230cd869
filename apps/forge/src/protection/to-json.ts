import { encodePath } from '../commits/to-json.ts';
import type { Forge } from '../forge.ts';
import { repositoryUrl } from '../repositories/to-json.ts';
import type { RepositoryRow } from '../store/rows.ts';
import type { ProtectionRules } from './rules.ts';

function protectionUrl(forge: Forge, repository: RepositoryRow, branch: string): string {
  return `${repositoryUrl(forge, repository)}/branches/${encodePath(branch)}/protection`;
}

export function protectionJson(
  forge: Forge,
  repository: RepositoryRow,
  branch: string,
  rules: ProtectionRules,
) {
  const url = protectionUrl(forge, repository, branch);
  const { approvals, checks, strict } = rules;
  return {
    url,
    ...(checks === null ? {} : { required_status_checks: checksJson(url, checks, strict) }),
    ...(approvals === null ? {} : { required_pull_request_reviews: reviewsJson(url, approvals) }),
    enforce_admins: { url: `${url}/enforce_admins`, enabled: rules.enforceAdmins },
    required_linear_history: { enabled: false },
    allow_force_pushes: { enabled: rules.allowForcePushes },
    allow_deletions: { enabled: rules.allowDeletions },
    block_creations: { enabled: false },
    required_conversation_resolution: { enabled: false },
    lock_branch: { enabled: false },
    allow_fork_syncing: { enabled: false },
  };
}

function checksJson(url: string, checks: readonly string[], strict: boolean) {
  return {
    url: `${url}/required_status_checks`,
    strict,
    contexts: checks,
    contexts_url: `${url}/required_status_checks/contexts`,
    checks: checks.map((context) => ({ context, app_id: null })),
  };
}

function reviewsJson(url: string, count: number) {
  return {
    url: `${url}/required_pull_request_reviews`,
    dismiss_stale_reviews: false,
    require_code_owner_reviews: false,
    require_last_push_approval: false,
    required_approving_review_count: count,
  };
}

/** The protection fields of a branch. */
export function branchProtectionJson(
  forge: Forge,
  repository: RepositoryRow,
  branch: string,
  rules: ProtectionRules | undefined,
) {
  const contexts = rules?.checks ?? [];
  const protection =
    rules === undefined
      ? { enabled: false }
      : {
          enabled: true,
          required_status_checks: {
            enforcement_level: contexts.length === 0 ? 'off' : 'everyone',
            contexts,
            checks: contexts.map((context) => ({ context, app_id: null })),
          },
        };
  return {
    protected: rules !== undefined,
    protection,
    protection_url: protectionUrl(forge, repository, branch),
  };
}
