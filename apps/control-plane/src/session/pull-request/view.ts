import {
  type PullRequestChecks,
  type PullRequestView,
  type SessionId,
  ShipFailure,
} from '@ship/protocol';
import type { Forge } from '../../git/index.ts';

export async function viewOf(
  sessionId: SessionId,
  forge: Pick<Forge, 'pullRequest' | 'checks'>,
  number: number,
): Promise<PullRequestView> {
  const pullRequest = await forge.pullRequest(number);
  return { sessionId, pullRequest, checks: await checksOf(forge, pullRequest.headSha) };
}

/** A token without access to checks may still be good for everything else: that must not hide the pull request. */
async function checksOf(forge: Pick<Forge, 'checks'>, sha: string): Promise<PullRequestChecks> {
  try {
    return await forge.checks(sha);
  } catch (thrown) {
    if (thrown instanceof ShipFailure && thrown.error.category !== 'transient')
      return { state: 'unknown', failed: [] };
    throw thrown;
  }
}
