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

/** A token that may not see checks is good for everything else: that is no reason to show nothing. */
async function checksOf(forge: Pick<Forge, 'checks'>, sha: string): Promise<PullRequestChecks> {
  try {
    return await forge.checks(sha);
  } catch (thrown) {
    if (thrown instanceof ShipFailure && thrown.error.category !== 'transient')
      return { state: 'unknown', failed: [] };
    throw thrown;
  }
}
