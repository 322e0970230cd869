import { sessionEvent, retestedConfidence, whyNotVerified } from '@ship/core';
import { type GitState, ShipFailure } from '@ship/protocol';
import { deliverTurn, refreshPullRequest } from '../../git/index.ts';
import { pullRequestFacts } from './delivery.ts';
import { changesOfWork, knownEvidence } from './evidence.ts';
import { gitDeps } from './git-work.ts';
import { type VerifyDeps, limitOf, startBaseline, verifyAfter } from './verify.ts';

/**
 * Verifies the branch again after commits of others came in: those of the base, or what a person pushed, which is pulled into
 * the sandbox first. Until then, the pull request says that its evidence is outdated.
 */
export async function renewEvidence(deps: VerifyDeps, stop: AbortSignal): Promise<void> {
  const { place, parts, store } = deps;
  const { after } = place.state().verification;
  if (after === null) return;
  const { turnId } = after;
  const changes = await changesOfWork(place);
  const facts = (git: GitState, now = changes) =>
    pullRequestFacts(place, parts, knownEvidence(place, now), git, null);
  const delivery = await deliverTurn(await gitDeps(place, parts), {
    turnId: null,
    summary: null,
    pullRequest: (git) => facts(git),
  });
  store.record(delivery.events);
  if (delivery.problem !== null) throw new ShipFailure(delivery.problem);
  // The agent resolves it in its next turn, whose work is verified then.
  if (delivery.conflict !== null || stop.aborted) return;
  await startBaseline(deps, turnId, stop).done;
  const verified = await verifyAfter(deps, turnId, stop);
  const { headSha } = place.state().git;
  if (verified === null || headSha === null) return;
  const { before, confidence: known } = place.state().verification;
  const confidence = known === null ? null : retestedConfidence(known, before, verified);
  const reason = whyNotVerified(verified, limitOf(place)) ?? 'Its first version was not verified.';
  store.record([
    sessionEvent('verification.committed', { turnId, sha: headSha }),
    confidence === null
      ? sessionEvent('confidence.withheld', { turnId, reason })
      : sessionEvent('confidence.computed', { ...confidence, turnId }),
  ]);
  const renewed = await gitDeps(place, parts);
  // Commits that a person pushed are part of the work now.
  const all = facts(renewed.git, await changesOfWork(place));
  store.record(await refreshPullRequest(renewed, all));
}
