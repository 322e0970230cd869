import {
  type VerifyCommand,
  didBuildHelp,
  judgeInEnvironment,
  needsBuild,
  outputDigest,
  planEnvironment,
  sessionEvent,
} from '@ship/core';
import {
  type TurnId,
  VERIFICATION_LIMITS,
  type VerificationPhase,
  type VerificationRun,
} from '@ship/protocol';
import type { ArtifactSink } from '../ingest/draft.ts';
import { canCopyBase, copyBase, removeCopy } from './base-copy.ts';
import {
  type LoggedCommand,
  type LoggedOutcome,
  keepOutput,
  runLogged,
  stopLogged,
} from './logged-command.ts';
import type { RepositoryFacts, TurnPlace, WorkLog, WorkshopParts } from './parts.ts';
import { type DetectedProject, inventoryOf } from './detect-project.ts';

/** In the working folder the agent waits for the run: longer is not worth a person's time. */
const IN_PLACE_LIMIT_MS = 15_000;

export interface VerifyDeps {
  place: TurnPlace;
  parts: WorkshopParts;
  store: WorkLog;
  artifacts: ArtifactSink;
}

export interface Verified extends VerificationRun {
  /** The end of the output. */
  output: string;
}

/** Facts about a repository and its settings that have not changed since they were detected. */
type Known = Pick<RepositoryFacts, 'verifyCommand'> & Pick<DetectedProject, 'listing' | 'programs'>;

/** A run of the test command on the base, without the work. */
interface Baseline {
  /** The agent may begin: nothing runs in its folder any more. */
  ready: Promise<void>;
  /** The outcome is recorded, or there is none. */
  done: Promise<void>;
}

/**
 * Starts the test command on the base. It runs in a copy, beside the agent and as long as the settings allow; where a copy
 * would not behave like the repository, it runs in place, for a short time, before the agent begins. `first` precedes both.
 */
export function startBaseline(
  deps: VerifyDeps,
  turnId: TurnId,
  stop: AbortSignal,
  known: Known | null = null,
  first: Promise<void> = Promise.resolve(),
): Baseline {
  const plan = first.then(() => planBaseline(deps, known));
  const inPlace = async () => {
    const chosen = await plan;
    if (chosen?.kind !== 'in-place') return;
    const { baseSha: commit } = deps.place.state().git;
    const options = { turnId, phase: 'before', limitMs: IN_PLACE_LIMIT_MS, commit } as const;
    await verify(deps, options, chosen.command, stop);
  };
  const ready = inPlace();
  const inCopy = async () => {
    const chosen = await plan;
    if (chosen?.kind === 'copy') await verifyCopy(deps, turnId, chosen.command, stop);
    else await ready;
  };
  const done = inCopy();
  return { ready, done };
}

type BaselinePlan = { kind: 'copy' | 'in-place'; command: VerifyCommand } | null;

async function planBaseline(deps: VerifyDeps, known: Known | null): Promise<BaselinePlan> {
  const { verification, agent, git } = deps.place.state();
  const { before } = verification;
  // Once per session, and again on a base that was merged in since.
  if (before !== null && (before.commit ?? git.baseSha) === git.baseSha) return null;
  const command = await findCommand(deps, known);
  if (command === null) return null;
  if (git.baseSha !== null && (await canCopyBase(deps.place))) return { kind: 'copy', command };
  // Once the agent was prompted, the folder no longer shows the base.
  const isUntouched = before === null && agent.turn === null && git.commitCount === 0;
  return isUntouched ? { kind: 'in-place', command } : null;
}

async function verifyCopy(
  deps: VerifyDeps,
  turnId: TurnId,
  command: VerifyCommand,
  stop: AbortSignal,
): Promise<void> {
  const { place } = deps;
  const { baseSha, leftovers = [] } = place.state().git;
  if (baseSha === null || stop.aborted) return;
  const folder = await copyBase(place, baseSha, leftovers);
  if (folder === null) return;
  try {
    const limitMs = limitOf(place);
    await verify(
      deps,
      { turnId, phase: 'before', limitMs, folder, commit: baseSha },
      command,
      stop,
    );
  } finally {
    await removeCopy(place);
  }
}

/** Null when no command is known, or when Stop was pressed meanwhile: then nothing is recorded. */
export async function verifyAfter(
  deps: VerifyDeps,
  turnId: TurnId,
  stop: AbortSignal,
): Promise<Verified | null> {
  const { before } = deps.place.state().verification;
  // The same command as before: a command that the agent could choose would prove nothing.
  const chosen = before ?? (await findCommand(deps, null));
  const options = { turnId, phase: 'after', limitMs: limitOf(deps.place) } as const;
  return chosen === null ? null : verify(deps, options, chosen, stop);
}

/** How long the command may take. */
export const limitOf = ({ settings }: Pick<TurnPlace, 'settings'>): number =>
  settings.limits.verifyTimeoutMs;

interface RunOptions {
  turnId: TurnId;
  phase: VerificationPhase;
  limitMs: number;
  /** A copy; by default the repository itself. */
  folder?: string;
  /** The commit of the files, where it is known already. */
  commit?: string | null;
}

/** Runs the command, and once more after a build where that may be what is missing; records the better result. */
async function verify(
  deps: VerifyDeps,
  options: RunOptions,
  chosen: VerifyCommand,
  stop: AbortSignal,
): Promise<Verified | null> {
  const plain = await run(deps, options, chosen, stop);
  if (plain === null) return null;
  const { afterBuild } = chosen;
  const built =
    afterBuild !== undefined && needsBuild(plain, chosen)
      ? await run(deps, options, { ...chosen, command: afterBuild }, stop)
      : null;
  const { outputBytes, ...verified } = built !== null && didBuildHelp(built) ? built : plain;
  const { turnId, phase } = options;
  deps.store.record([
    sessionEvent('verification.finished', { ...verified, turnId, phase, outputBytes }),
  ]);
  return verified;
}

async function run(
  { place, store, artifacts }: VerifyDeps,
  { turnId, phase, limitMs, folder, commit }: RunOptions,
  { command, source }: VerifyCommand,
  stop: AbortSignal,
): Promise<(Verified & { outputBytes: number }) | null> {
  if (stop.aborted) return null;
  const begun = { turnId, purpose: `verify-${phase}`, command, limitMs } as const;
  store.record([sessionEvent('command.started', begun)]);
  const name = `verify-${phase}`;
  const ran = await store.trace.span(
    `verify.${phase}`,
    () =>
      runUntilStopped(
        place,
        { name, command, limitMs, isClean: folder === undefined, folder },
        stop,
      ),
    () => 'unavailable',
  );
  // An interrupted run proves nothing.
  if (ran === null) return null;
  const { exitCode, durationMs, output, outputBytes } = ran;
  const isWhole = outputBytes <= VERIFICATION_LIMITS.outputBytes;
  const link = isWhole ? null : await keepOutput(artifacts, `${name}-${turnId}.txt`, output);
  const judged: VerificationRun = {
    command,
    source,
    ...judgeInEnvironment(
      { exitCode, output, isBeside: folder !== undefined },
      place.state().environment,
    ),
    exitCode,
    durationMs,
    link,
    outputDigest: outputDigest(output),
    ...(commit === undefined ? {} : { commit }),
  };
  const shown = output.slice(-VERIFICATION_LIMITS.outputBytes / 2);
  return { ...judged, output: shown, outputBytes };
}

/** Null when Stop was pressed. */
export async function runUntilStopped(
  place: TurnPlace,
  command: LoggedCommand,
  stop: AbortSignal,
): Promise<LoggedOutcome | null> {
  if (stop.aborted) return null;
  const onStop = () => void stopLogged(place, command.name).catch(() => undefined);
  stop.addEventListener('abort', onStop, { once: true });
  const outcome = await runLogged(place, command).finally(() =>
    stop.removeEventListener('abort', onStop),
  );
  return stop.aborted ? null : outcome;
}

async function findCommand(
  { place, parts }: VerifyDeps,
  known: Known | null,
): Promise<VerifyCommand | null> {
  const { verifyCommand } = known ?? (await parts.repository(place.state().repository));
  const isKnown = verifyCommand !== null && verifyCommand.trim() !== '';
  const nothing = { listing: { names: [], texts: {} }, programs: {} };
  const { listing, programs } = isKnown ? nothing : (known ?? (await inventoryOf(place)));
  // An incomplete environment cannot run the tests.
  const isInstalled = place.state().environment?.install === 'done';
  const input = { listing, programs, verifySetting: verifyCommand, isInstalled, withScripts: true };
  return planEnvironment(input).verify;
}
