import {
  type EvidenceFacts,
  SHIP_AUTHOR,
  mayShipAsk,
  computeConfidence,
  isRegression,
  ownEstimate,
  repairText,
  sessionEvent,
} from '@ship/core';
import { type AgentTurn, type Diff, type Turn, createId } from '@ship/protocol';
import { sandboxShell, workingTreeDiff } from '../../git/index.ts';
import { log } from '../../platform/log.ts';
import { foreignFailure } from '../../sandbox/failure.ts';
import { REPOSITORY_FOLDER } from './git-work.ts';
import type { Workplace } from './parts.ts';
import type { TurnEnd } from '../turn/ports.ts';
import { type Verified, type VerifyDeps, verifyAfter } from './verify.ts';
import { eventsOfTurn, newestSummary } from './words.ts';

/** What is known of the work of a turn when it is delivered. */
export interface TurnEvidence extends Omit<EvidenceFacts, 'costUsd'> {
  /** What the agent has to be told, if anything. */
  verified: Verified | null;
}

/** Nothing that goes wrong here keeps the work from being delivered: the pull request then says that nothing is known. */
export async function gatherEvidence(
  deps: VerifyDeps,
  turn: Turn,
  end: TurnEnd,
  stop: AbortSignal,
): Promise<TurnEvidence> {
  try {
    return await gather(deps, turn, end, stop);
  } catch (thrown) {
    log('warn', 'verification.failed', { code: foreignFailure('sandbox', thrown).code });
    return {
      verified: null,
      verification: null,
      whyNotVerified: 'the sandbox did not let it be run.',
      confidence: null,
      changes: null,
    };
  }
}

/** Verifies what a turn changed, and weighs all that was seen of it. A turn that changed nothing is not run for. */
async function gather(
  deps: VerifyDeps,
  turn: Turn,
  end: TurnEnd,
  stop: AbortSignal,
): Promise<TurnEvidence> {
  const { place } = deps;
  const { git } = place.state();
  const diff = await changesSince(place, git.headSha ?? git.baseSha);
  if (diff.files.length === 0) return knownEvidence(place);
  const changes = sizeOf(git.headSha === null ? diff : await changesSince(place, git.baseSha));
  const isDone = end.kind === 'finish' && end.outcome.kind === 'completed';
  const verified = isDone ? await verifyAfter(deps, turn.turnId, stop) : null;
  const isCutShort = !isDone || stop.aborted;
  const { before, failedRounds } = place.state().verification;
  const confidence = computeConfidence({
    before,
    after: verified,
    changedFiles: changes.files,
    changedLines: changes.additions + changes.deletions,
    toolFailures: toolFailures(deps, turn),
    repeatedCalls: mostRepeated(place.state().agent.turn),
    extraRounds: turn.attempt - 1 + Math.max(0, failedRounds - 1),
    ownEstimate: ownEstimate(newestSummary(deps.store, turn.turnId) ?? ''),
  });
  deps.store.record([sessionEvent('confidence.computed', { ...confidence, turnId: turn.turnId })]);
  return {
    verified,
    verification: verified === null ? null : { before, after: verified, output: verified.output },
    whyNotVerified: isCutShort ? 'the turn ended before it could be.' : null,
    confidence,
    changes,
  };
}

/** The files are as they were when the command was last run: what it said then is still true. */
function knownEvidence(place: Workplace): TurnEvidence {
  const { before, after, confidence } = place.state().verification;
  return {
    verified: null,
    verification: after === null ? null : { before, after, output: null },
    whyNotVerified: null,
    confidence,
    changes: null,
  };
}

/**
 * What fails because of the work goes back to the agent, once: whoever did not manage with the output before its eyes
 * needs a person. Asked for after the delivery, so that the work is safe whatever comes of it.
 */
export function askForRepair({ store }: VerifyDeps, { verified }: TurnEvidence): void {
  const { state } = store;
  if (state === undefined || verified === null || state.activity.status !== 'working') return;
  const { before, failedRounds } = state.verification;
  if (failedRounds !== 1 || !isRegression(before, verified)) return;
  if (!mayShipAsk(state.verification)) return;
  // After a crash in between it waits already.
  if (state.queue.some(({ author }) => author === SHIP_AUTHOR)) return;
  const promptId = createId('prm');
  const text = repairText(before, verified, verified.output);
  store.observe({ type: 'prompt.enqueue', prompt: { promptId, author: SHIP_AUTHOR, text } });
  store.observe({ type: 'prompt.move', promptId, after: null, text: null });
}

function changesSince({ port, sandboxId }: Workplace, sha: string | null): Promise<Diff> {
  return workingTreeDiff(sandboxShell(port, sandboxId), REPOSITORY_FOLDER, sha);
}

function sizeOf({ files, additions, deletions }: Diff) {
  return { files: files.length, additions, deletions };
}

function toolFailures({ store }: VerifyDeps, { turnId }: Turn): number {
  let failures = 0;
  for (const event of eventsOfTurn(store, turnId))
    if (event.type === 'tool.finished' && event.data.status === 'failed') failures += 1;
  return failures;
}

function mostRepeated(turn: AgentTurn | null): number {
  const times = new Map<string, number>();
  for (const { tool, hash } of turn?.recentCalls ?? [])
    times.set(`${tool} ${hash}`, (times.get(`${tool} ${hash}`) ?? 0) + 1);
  return Math.max(0, ...times.values());
}
