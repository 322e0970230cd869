import { SHIP_AUTHOR, evidenceOf, isRegression, openTurn, summarize } from '@ship/core';
import {
  type PromptId,
  type SessionId,
  type SessionState,
  type ShipError,
  type SkippedFile,
  type TurnOutcome,
  type VerificationRun,
  shipError,
} from '@ship/protocol';
import { type RunSetup, setupOf } from './setup.ts';

/** How a run ended, or `working` when the command did not wait. */
export type RunStatus = 'done' | 'failed' | 'stopped' | 'needs-you' | 'working';

/** The last line of `ship run --wait --json`. Other programs rely on it: fields may be added, never changed. */
export interface RunResult {
  sessionId: SessionId;
  status: RunStatus;
  branch: string | null;
  base: string | null;
  commits: { sha: string; message: string }[];
  pullRequest: { number: number; url: string; draft: boolean } | null;
  /** Files of the newest turn that are in no commit, with the reason. */
  leftOut: SkippedFile[];
  /** `usd` is null when the model's price is unknown. */
  cost: { usd: number | null; inputTokens: number; outputTokens: number };
  /** Null for what did not happen. Stages are durations; the rest counts from the session's creation. */
  timings: {
    sandboxReadyMs: number | null;
    cloneMs: number | null;
    agentReadyMs: number | null;
    firstTokenMs: number | null;
    turnMs: number | null;
    /** Time with an open model call; concurrent calls count once. */
    modelMs: number | null;
    pullRequestMs: number | null;
    totalMs: number;
  };
  /** Results of the repository's tests; null when nothing ran. */
  verification: RunVerification | null;
  /** Whether the setup that the work changed runs in a clean sandbox; null when it changed none. */
  setup: RunSetup | null;
  error: ShipError | null;
}

type VerifiedRun = Pick<
  VerificationRun,
  'command' | 'source' | 'verdict' | 'exitCode' | 'durationMs' | 'counts' | 'failing'
>;

interface RunVerification {
  command: string;
  before: VerifiedRun | null;
  after: VerifiedRun | null;
  /** The command fails after the work, and did not fail in the same way before. */
  isBrokenByWork: boolean;
  /** The commit that was tested. */
  commit: string | null;
  /** The branch has a newer commit, on which the tests have not run yet. */
  isStale: boolean;
}

/** Facts from the log that its folded state does not keep. */
export interface LogFacts {
  outcome: TurnOutcome | undefined;
  /** Duration of the newest finished turn. */
  turnMs: number | null;
  /** From the session's creation to the agent's first token, and to the pull request. */
  firstTokenMs: number | null;
  pullRequestMs: number | null;
  modelMs: number | null;
}

export const NO_LOG_FACTS: LogFacts = {
  outcome: undefined,
  turnMs: null,
  firstTokenMs: null,
  pullRequestMs: null,
  modelMs: null,
};

/** Whether the agent is done with the prompt or all work, or needs a person. */
export function isSettled(state: SessionState, promptId?: PromptId): boolean {
  const { activity, queue, current } = state;
  const isHalted = activity.status === 'closed' || activity.status === 'held';
  if (isHalted || summarize(state, 0).needsYou !== null) return true;
  if (promptId !== undefined) {
    if (queue.some((prompt) => prompt.promptId === promptId)) return false;
    // Ship's own prompts come first in the queue: they repair what this prompt broke, so its result is not known yet.
    if (queue[0]?.author === SHIP_AUTHOR) return false;
    if (openTurn(activity) === undefined || current === null) return true;
    return current.promptId !== promptId && current.author !== SHIP_AUTHOR;
  }
  return queue.length === 0 && openTurn(activity) === undefined && state.turnsFinished > 0;
}

export function resultOf(state: SessionState, seen: LogFacts, totalMs: number): RunResult {
  const summary = summarize(state, 0);
  const { pullRequest } = summary;
  const stage = (name: string) =>
    state.stages.find((each) => each.stage === name && each.error === null)?.durationMs ?? null;
  const error = errorOf(state);
  return {
    sessionId: state.sessionId,
    status: statusOf(state, seen, error),
    // A branch that was not pushed yet cannot be fetched.
    branch: state.git.pushedSha === null ? null : summary.branch,
    base: summary.base,
    commits: state.git.commits.map(({ sha, message }) => ({ sha, message })),
    pullRequest: pullRequest && {
      number: pullRequest.number,
      url: pullRequest.url,
      draft: pullRequest.draft,
    },
    leftOut: state.git.skipped,
    cost: {
      usd: summary.costUsd,
      inputTokens: summary.inputTokens,
      outputTokens: summary.outputTokens,
    },
    timings: {
      sandboxReadyMs: stage('sandbox'),
      cloneMs: stage('clone'),
      agentReadyMs: stage('agent'),
      firstTokenMs: seen.firstTokenMs,
      turnMs: seen.turnMs,
      pullRequestMs: seen.pullRequestMs,
      modelMs: seen.modelMs,
      totalMs,
    },
    verification: verificationOf(state),
    setup: setupOf(state),
    error,
  };
}

function verificationOf(state: SessionState): RunVerification | null {
  const { before, after } = state.verification;
  const evidence = evidenceOf(state);
  const newest = after ?? before;
  if (newest === null) return null;
  return {
    command: newest.command,
    before: before && runOf(before),
    after: after && runOf(after),
    isBrokenByWork: after !== null && isRegression(before, after),
    commit: evidence?.commit ?? null,
    isStale: evidence?.stale ?? false,
  };
}

function runOf(run: VerificationRun): VerifiedRun {
  const { command, source, verdict, exitCode, durationMs, counts, failing } = run;
  return { command, source, verdict, exitCode, durationMs, counts, failing };
}

/**
 * 0 done; 1 failed, tests broken by the work, or a failing setup; 3 needs a person. 2 is reserved for usage errors.
 */
export function exitCodeOf(
  { status, verification, setup }: Pick<RunResult, 'status' | 'verification' | 'setup'>,
  allowFailingTests = false,
): number {
  switch (status) {
    case 'done': {
      const testsFail = verification?.isBrokenByWork === true || setup?.status === 'tests-failed';
      return setup?.status === 'setup-failed' || (testsFail && !allowFailingTests) ? 1 : 0;
    }
    case 'working':
      return 0;
    case 'needs-you':
      return 3;
    case 'failed':
    case 'stopped':
      return 1;
  }
}

function errorOf({ activity, sandbox }: SessionState): ShipError | null {
  if (activity.status === 'failed') return activity.error;
  if (activity.status === 'paused')
    return shipError('limit-reached', activity.pause.message, activity.pause.remedy);
  return sandbox.status === 'failed' ? sandbox.error : null;
}

function statusOf(state: SessionState, seen: LogFacts, error: ShipError | null): RunStatus {
  // An error that a person can fix is not a failure: the work continues after the fix.
  if (error !== null) return error.category === 'user-action' ? 'needs-you' : 'failed';
  if (summarize(state, 0).needsYou !== null) return 'needs-you';
  if (state.activity.status === 'closed' || state.activity.status === 'held') return 'stopped';
  if (!isSettled(state)) return 'working';
  return seen.outcome?.kind === 'stopped' ? 'stopped' : 'done';
}
