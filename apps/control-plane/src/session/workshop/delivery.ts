import {
  type PullRequestFacts,
  SHIP_AUTHOR,
  compareRuns,
  conflictText,
  mayPromptAgent,
  sessionEvent,
  withoutEstimate,
} from '@ship/core';
import { type GitState, type Prompt, type Turn, ShipFailure, createId } from '@ship/protocol';
import { type Delivery, deliverTurn } from '../../git/index.ts';
import type { SessionStore } from '../session-store.ts';
import type { TurnEvidence } from './evidence.ts';
import { gitDeps } from './git-work.ts';
import type { WorkshopParts, Workplace } from './parts.ts';
import { newestSummary } from './turn-events.ts';

const ATTEMPTS = 4;
const FIRST_DELAY_MS = 500;

/** Commits, pushes and updates the pull request. Retries while the forge is briefly unavailable before it reports a failure. */
export async function deliver(
  place: Workplace,
  parts: WorkshopParts,
  store: SessionStore,
  turn: Turn,
  evidence: TurnEvidence,
): Promise<{ isDelivered: boolean }> {
  for (let attempt = 1; ; attempt++) {
    const delivery = await once(place, parts, store, turn, evidence);
    store.record(delivery.events);
    recordCommit(store, turn, evidence, delivery);
    if (delivery.conflict !== null) {
      handOver(store, delivery.conflict);
      return { isDelivered: false };
    }
    const { problem } = delivery;
    if (problem === null) return { isDelivered: true };
    if (problem.category !== 'transient' || attempt === ATTEMPTS) throw new ShipFailure(problem);
    await new Promise((resolve) => setTimeout(resolve, FIRST_DELAY_MS * 2 ** attempt));
  }
}

async function once(
  place: Workplace,
  parts: WorkshopParts,
  store: SessionStore,
  { turnId }: Turn,
  evidence: TurnEvidence,
): Promise<Delivery> {
  const lastText = newestSummary(store, turnId);
  const summary = lastText === null ? null : withoutEstimate(lastText);
  const { before, rounds = [] } = place.state().verification;
  const { verified, newTests } = evidence;
  const isRepaired = rounds.at(-1)?.kind === 'repair' && verified?.verdict === 'passed';
  const fixedTests = (compareRuns(before, verified)?.fixed.length ?? 0) + Number(isRepaired);
  const deps = await gitDeps(place, parts);
  return deliverTurn(deps, {
    turnId,
    summary,
    fixedTests,
    isProven: verified?.verdict === 'passed' && newTests?.withoutChange === 'fail',
    pullRequest: (git, tip) => pullRequestFacts(place, parts, evidence, git, tip),
  });
}

/** `tip`: the commit with the files as they were verified; null when nothing was verified now. */
export function pullRequestFacts(
  place: Pick<Workplace, 'state'>,
  parts: Pick<WorkshopParts, 'sessionUrl'>,
  { verified, verification, ...evidence }: TurnEvidence,
  git: GitState,
  tip: string | null,
): PullRequestFacts {
  const {
    agent,
    title,
    titledBy,
    model,
    sessionId,
    setupProof,
    verification: known,
  } = place.state();
  const isNow = verified !== null && verification !== null && tip !== null;
  return {
    ...evidence,
    title,
    isTitledByPrompt: titledBy === 'prompt',
    rounds: known.rounds ?? [],
    roundsLeftOut: known.roundsLeftOut ?? 0,
    verification: isNow
      ? { ...verification, after: { ...verification.after, commit: tip } }
      : verification,
    headSha: git.headSha,
    commits: git.commits.map(({ sha, message, turnId }) => ({ sha, message, turnId })),
    costUsd: agent.usage.unpricedSteps > 0 ? null : agent.usage.costUsd,
    model,
    sessionUrl: parts.sessionUrl(sessionId),
    setupProof,
  };
}

/** Records the commit of the evidence: without it, the evidence could be taken for that of any commit. */
function recordCommit(
  store: SessionStore,
  { turnId }: Turn,
  { verified }: TurnEvidence,
  { tip }: Delivery,
): void {
  const { after } = store.state?.verification ?? {};
  if (verified === null || tip === null || after?.turnId !== turnId || after.commit === tip) return;
  store.record([sessionEvent('verification.committed', { turnId, sha: tip })]);
}

/** A conflict that needs a decision becomes a prompt for the agent. */
function handOver(store: SessionStore, conflict: NonNullable<Delivery['conflict']>): void {
  const prompt = conflictPrompt(conflict);
  const { state } = store;
  // The agent was asked before and did not manage: a person has to look.
  if (
    state !== undefined &&
    (state.current?.text === prompt.text || !mayPromptAgent(state.verification))
  ) {
    throw new ShipFailure({
      code: 'conflict',
      category: 'user-action',
      message: `The work conflicts with ${conflict.ref} in ${conflict.files.join(', ')}.`.slice(
        0,
        2000,
      ),
      remedy: 'Resolve it in the editor or the terminal, or tell the agent how, then retry.',
    });
  }
  store.observe({ type: 'prompt.enqueue', prompt });
}

export function conflictPrompt(conflict: NonNullable<Delivery['conflict']>): Prompt {
  return {
    promptId: createId('prm'),
    author: SHIP_AUTHOR,
    text: conflictText(conflict),
  };
}
