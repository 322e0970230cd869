import { type VerifyCommand, detectVerifyCommand, judgeRun, sessionEvent } from '@ship/core';
import {
  type TurnId,
  VERIFICATION_LIMITS,
  type VerificationPhase,
  type VerificationRun,
} from '@ship/protocol';
import type { ArtifactSink } from '../ingest/draft.ts';
import { keepOutput, runLogged, stopLogged } from './logged-command.ts';
import type { RepositoryFacts, TurnPlace, WorkLog, WorkshopParts } from './parts.ts';
import { type Survey, readListing } from './survey.ts';

/**
 * It runs in the working folder itself, where the dependencies are, so the agent must not begin before it ends. It runs
 * while the agent starts; what takes longer than this is not worth a person's wait for the first word.
 */
const BEFORE_LIMIT_MS = 15_000;
const AFTER_LIMIT_MS = 5 * 60_000;

export interface VerifyDeps {
  place: TurnPlace;
  parts: WorkshopParts;
  store: WorkLog;
  artifacts: ArtifactSink;
}

export interface Verified extends VerificationRun {
  /** The end of what was printed. */
  output: string;
}

/** What was found of a repository and its settings, and has not changed since. */
type Known = Pick<RepositoryFacts, 'verifyCommand'> & Pick<Survey, 'listing'>;

/** How the repository is before any work: once in a session, and never after the agent has been told anything. */
export async function verifyBefore(
  deps: VerifyDeps,
  turnId: TurnId,
  stop: AbortSignal,
  known: Known | null = null,
): Promise<void> {
  const { verification, agent, git } = deps.place.state();
  if (verification.before !== null || agent.turn !== null || git.commitCount > 0) return;
  const chosen = await findCommand(deps, known);
  if (chosen !== null) await verify(deps, turnId, 'before', chosen, stop);
}

/** Null when no command is known, or when somebody pressed Stop meanwhile: then nothing is said. */
export async function verifyAfter(
  deps: VerifyDeps,
  turnId: TurnId,
  stop: AbortSignal,
): Promise<Verified | null> {
  const { before } = deps.place.state().verification;
  // What was run before is run again: a command that the agent could choose would prove nothing.
  const chosen = before ?? (await findCommand(deps, null));
  return chosen === null ? null : verify(deps, turnId, 'after', chosen, stop);
}

async function verify(
  { place, store, artifacts }: VerifyDeps,
  turnId: TurnId,
  phase: VerificationPhase,
  { command, source }: VerifyCommand,
  stop: AbortSignal,
): Promise<Verified | null> {
  if (stop.aborted) return null;
  const limitMs = phase === 'before' ? BEFORE_LIMIT_MS : AFTER_LIMIT_MS;
  const name = nameOf(phase);
  const onStop = () => void stopLogged(place, name).catch(() => undefined);
  stop.addEventListener('abort', onStop, { once: true });
  const { exitCode, durationMs, output, outputBytes } = await store.trace
    .span(
      `verify.${phase}`,
      () => runLogged(place, { name, command, limitMs, isClean: true }),
      () => 'unavailable',
    )
    .finally(() => stop.removeEventListener('abort', onStop));
  // What was broken off says nothing.
  if (stop.aborted) return null;
  const isWhole = outputBytes <= VERIFICATION_LIMITS.outputBytes;
  const link = isWhole ? null : await keepOutput(artifacts, `${name}-${turnId}.txt`, output);
  const run: VerificationRun = {
    command,
    source,
    ...judgeRun({ exitCode, output }),
    exitCode,
    durationMs,
    link,
  };
  const shown = output.slice(-VERIFICATION_LIMITS.outputBytes / 2);
  const told = { ...run, turnId, phase, output: shown, outputBytes };
  store.record([sessionEvent('verification.finished', told)]);
  return { ...run, output: shown };
}

async function findCommand(
  { place, parts }: VerifyDeps,
  known: Known | null,
): Promise<VerifyCommand | null> {
  const { verifyCommand } = known ?? (await parts.repository(place.state().repository));
  const nothing = { names: [], texts: {} };
  if (verifyCommand !== null) return detectVerifyCommand(verifyCommand, nothing);
  return detectVerifyCommand(null, known?.listing ?? (await readListing(place)));
}

const nameOf = (phase: VerificationPhase): string => `verify-${phase}`;
