import {
  READ_FOR_DETECTION,
  type RepositoryListing,
  type VerifyCommand,
  detectVerifyCommand,
  judgeRun,
  sessionEvent,
} from '@ship/core';
import {
  type TurnId,
  VERIFICATION_LIMITS,
  type VerificationPhase,
  type VerificationRun,
} from '@ship/protocol';
import type { ArtifactSink } from '../ingest/draft.ts';
import { REPOSITORY_FOLDER } from './git-work.ts';
import { keepOutput, runLogged, stopLogged } from './logged-command.ts';
import type { TurnPlace, WorkLog, WorkshopParts } from './parts.ts';

/**
 * It runs in the working folder itself, where the dependencies are, so the agent must not begin before it ends. It runs
 * while the agent starts; what takes longer than this is not worth a person's wait for the first word.
 */
const BEFORE_LIMIT_MS = 15_000;
const AFTER_LIMIT_MS = 5 * 60_000;
const LOOK_TIMEOUT_MS = 60_000;
const LIST = 'ls -1Ap | head -n 1000';
const READ = 'head -c 200000 "$1"';

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

/** How the repository is before any work: once in a session, and never after the agent has been told anything. */
export async function verifyBefore(
  deps: VerifyDeps,
  turnId: TurnId,
  stop: AbortSignal,
): Promise<void> {
  const { verification, agent, git } = deps.place.state();
  if (verification.before !== null || agent.turn !== null || git.commitCount > 0) return;
  const chosen = await findCommand(deps);
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
  const chosen = before ?? (await findCommand(deps));
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

async function findCommand({ place, parts }: VerifyDeps): Promise<VerifyCommand | null> {
  const { verifyCommand } = await parts.repository(place.state().repository);
  if (verifyCommand !== null) return detectVerifyCommand(verifyCommand, { names: [], texts: {} });
  return detectVerifyCommand(null, await readListing(place));
}

async function readListing(place: TurnPlace): Promise<RepositoryListing> {
  const names = (await look(place, LIST)).split('\n').filter((name) => name !== '');
  const texts: Record<string, string> = {};
  for (const name of READ_FOR_DETECTION)
    if (names.includes(name)) texts[name] = await look(place, READ, name);
  return { names, texts };
}

async function look({ port, sandboxId }: TurnPlace, script: string, ...args: string[]) {
  const { stdout } = await port.run(sandboxId, {
    argv: ['bash', '-c', script, 'ship', ...args],
    cwd: REPOSITORY_FOLDER,
    timeoutMs: LOOK_TIMEOUT_MS,
  });
  return stdout;
}

const nameOf = (phase: VerificationPhase): string => `verify-${phase}`;
