import { type PullRequestFacts, SHIP_AUTHOR, mayShipAsk, withoutEstimate } from '@ship/core';
import { type GitState, type Prompt, type Turn, ShipFailure, createId } from '@ship/protocol';
import { type Delivery, deliverTurn } from '../../git/index.ts';
import type { SessionStore } from '../session-store.ts';
import type { TurnEvidence } from './evidence.ts';
import { gitDeps } from './git-work.ts';
import type { WorkshopParts, Workplace } from './parts.ts';
import { newestSummary } from './words.ts';

const ATTEMPTS = 4;
const FIRST_DELAY_MS = 500;

/** Commits, pushes and keeps the pull request. A forge that is away for a moment is asked again before anybody is told. */
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
  { verification, whyNotVerified, confidence, changes }: TurnEvidence,
): Promise<Delivery> {
  const { current, agent, title, model, sessionId, verification: checks } = place.state();
  const said = newestSummary(store, turnId);
  const summary = said === null ? null : withoutEstimate(said);
  const prompt = current?.text ?? '';
  const facts = (git: GitState): PullRequestFacts => ({
    title,
    // What Ship itself asked for is no reason for a pull request; what people asked for is.
    prompts: current?.author === SHIP_AUTHOR ? checks.asked.slice(-1) : [prompt],
    summary,
    verification,
    whyNotVerified,
    confidence,
    changes,
    commits: git.commits.map(({ sha, message }) => ({ sha, message })),
    costUsd: agent.usage.unpricedSteps > 0 ? null : agent.usage.costUsd,
    model,
    sessionUrl: parts.sessionUrl(sessionId),
  });
  const deps = await gitDeps(place, parts);
  return deliverTurn(deps, { turnId, prompt, summary, pullRequest: facts });
}

/** What cannot be brought together without a decision is a task for the agent, like any other. */
function handOver(store: SessionStore, conflict: NonNullable<Delivery['conflict']>): void {
  const asked = conflictPrompt(conflict);
  const { state } = store;
  // The agent was asked before and did not manage: a person has to look.
  if (
    state !== undefined &&
    (state.current?.text === asked.text || !mayShipAsk(state.verification))
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
  store.observe({ type: 'prompt.enqueue', prompt: asked });
}

export function conflictPrompt({ ref, files }: NonNullable<Delivery['conflict']>): Prompt {
  return {
    promptId: createId('prm'),
    author: SHIP_AUTHOR,
    text: `Somebody else changed the same lines. Merge \`${ref}\` into the current branch (\`git merge ${ref}\`), resolve the conflicts in ${files.map((file) => `\`${file}\``).join(', ')} so that both intentions are kept, run the tests, and commit the merge.`,
  };
}
