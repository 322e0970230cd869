import {
  type EvidenceFacts,
  SHIP_AUTHOR,
  mayPromptAgent,
  computeConfidence,
  isRegression,
  ownEstimate,
  repairText,
  sessionEvent,
  whyNotVerified,
} from '@ship/core';
import { type AgentTurn, type Diff, type Turn, createId } from '@ship/protocol';
import { sandboxShell, workingTree } from '../../git/index.ts';
import { RepositoryView } from '../../git/work/view.ts';
import { log } from '../../platform/log.ts';
import { foreignFailure } from '../../sandbox/failure.ts';
import { REPOSITORY_FOLDER } from './git-work.ts';
import type { Workplace } from './parts.ts';
import type { TurnEnd } from '../turn/ports.ts';
import { rememberTests } from './left-behind.ts';
import { checkNewTests } from './new-tests.ts';
import { type Verified, type VerifyDeps, limitOf, verifyAfter } from './verify.ts';
import { newestSummary } from './turn-events.ts';

/** The evidence about the work of a turn when it is delivered. */
export interface TurnEvidence extends Omit<EvidenceFacts, 'costUsd' | 'sessionUrl' | 'headSha'> {
  /** The newest run, with output to show the agent; null when nothing was run now. */
  verified: Verified | null;
}

/** No failure here prevents the delivery: the pull request then says that nothing was verified. */
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
      whyNotVerified: 'The sandbox did not answer, so no test could run.',
      confidence: null,
      changes: null,
    };
  }
}

/** Verifies what a turn changed, and weighs all evidence. Runs nothing for a turn that changed nothing. */
async function gather(
  deps: VerifyDeps,
  turn: Turn,
  end: TurnEnd,
  stop: AbortSignal,
): Promise<TurnEvidence> {
  const { place } = deps;
  const { git } = place.state();
  const { diff, treeSha } = await changesSince(place, git.headSha ?? git.baseSha);
  const from = await comparisonBase(place);
  const whole =
    from === (git.headSha ?? git.baseSha) ? diff : (await changesSince(place, from)).diff;
  const changes = sizeOf(whole);
  if (diff.files.length === 0) return knownEvidence(place, changes);
  const isDone = end.kind === 'finish' && end.outcome.kind === 'completed';
  const verified = isDone ? await verifyAfter(deps, turn.turnId, stop) : null;
  if (verified !== null) await rememberTests(place, deps.store, treeSha);
  const newTests =
    verified === null ? null : await checkNewTests(deps, turn.turnId, whole, verified, stop);
  const isInterrupted = !isDone || stop.aborted;
  const reason = isInterrupted
    ? 'The turn ended before the tests could run.'
    : whyNotVerified(verified, limitOf(place));
  const { before, rounds = [] } = place.state().verification;
  const confidence = computeConfidence({
    before,
    after: verified,
    changedFiles: changes.files,
    changedLines: changes.additions + changes.deletions,
    // The score covers the whole work, so its inputs do too.
    toolFailures: rounds.reduce((sum, round) => sum + round.toolFailures, 0),
    repeatedCalls: mostRepeated(place.state().agent.turn),
    extraRounds: turn.attempt - 1 + rounds.filter(({ kind }) => kind === 'repair').length,
    ownEstimate: ownEstimate(newestSummary(deps.store, turn.turnId) ?? ''),
  });
  const { turnId } = turn;
  deps.store.record([
    confidence === null
      ? sessionEvent('confidence.withheld', { turnId, reason: reason ?? UNKNOWN_REASON })
      : sessionEvent('confidence.computed', { ...confidence, turnId }),
  ]);
  return {
    verified,
    verification: verified === null ? null : { before, after: verified, output: verified.output },
    whyNotVerified: confidence === null ? (reason ?? UNKNOWN_REASON) : null,
    confidence,
    changes,
    newTests,
  };
}

const UNKNOWN_REASON = 'No test has judged it.';

/** The files have not changed since the command last ran: its result still holds. */
export function knownEvidence(
  place: Pick<Workplace, 'state'>,
  changes: EvidenceFacts['changes'],
): TurnEvidence {
  const {
    before,
    after,
    confidence,
    notVerified = null,
    newTests = null,
  } = place.state().verification;
  return {
    verified: null,
    verification: after === null ? null : { before, after, output: null },
    whyNotVerified: notVerified,
    confidence,
    changes,
    newTests,
  };
}

/**
 * Sends a regression back to the agent, once: if the agent fails with the output at hand, a person has to look. Called after
 * the delivery, so that the work is safe.
 */
export function askForRepair({ store }: VerifyDeps, { verified }: TurnEvidence): void {
  const { state } = store;
  if (state === undefined || verified === null || state.activity.status !== 'working') return;
  const { before, failedRounds } = state.verification;
  if (failedRounds !== 1 || !isRegression(before, verified)) return;
  if (!mayPromptAgent(state.verification)) return;
  // After a crash in between, the prompt is queued already.
  if (state.queue.some(({ author }) => author === SHIP_AUTHOR)) return;
  const promptId = createId('prm');
  const text = repairText(before, verified, verified.output);
  store.observe({ type: 'prompt.enqueue', prompt: { promptId, author: SHIP_AUTHOR, text } });
  store.observe({ type: 'prompt.move', promptId, after: null, text: null });
}

function changesSince({ port, sandboxId, state }: Workplace, sha: string | null) {
  const shell = sandboxShell(port, sandboxId);
  return workingTree(shell, REPOSITORY_FOLDER, sha, state().git.leftovers ?? []);
}

/** The commit to compare the whole work with. Once the agent has merged the base, the base's own changes are not its work. */
async function comparisonBase({ port, sandboxId, state }: Workplace): Promise<string | null> {
  const { conflict, baseSha } = state().git;
  if (conflict?.with !== 'base') return baseSha;
  const shell = sandboxShell(port, sandboxId);
  const isMerged = (view: RepositoryView) =>
    view.found.mergeHeads.includes(conflict.sha)
      ? Promise.resolve(true)
      : view.isAncestor(conflict.sha, 'HEAD');
  return (await RepositoryView.use(shell, REPOSITORY_FOLDER, isMerged)) ? conflict.sha : baseSha;
}

/** The whole work so far, as it is in the sandbox. */
export async function changesOfWork(place: Workplace): Promise<EvidenceFacts['changes']> {
  return sizeOf((await changesSince(place, place.state().git.baseSha)).diff);
}

export function sizeOf({ files, additions, deletions }: Diff) {
  const list = files.map((file) => ({
    path: file.path,
    additions: file.omitted === 'binary' ? null : file.additions,
    deletions: file.omitted === 'binary' ? null : file.deletions,
  }));
  return { files: files.length, additions, deletions, list };
}

function mostRepeated(turn: AgentTurn | null): number {
  const times = new Map<string, number>();
  for (const { tool, hash } of turn?.recentCalls ?? [])
    times.set(`${tool} ${hash}`, (times.get(`${tool} ${hash}`) ?? 0) + 1);
  return Math.max(0, ...times.values());
}
