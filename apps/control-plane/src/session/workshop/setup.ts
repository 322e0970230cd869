import {
  type SetupCommand,
  START_SCRIPT,
  chooseReuse,
  chooseSetup,
  sessionEvent,
} from '@ship/core';
import { fail } from '@ship/protocol';
import type { CommandOutcome } from '../../sandbox/port.ts';
import type { ArtifactSink } from '../ingest/draft.ts';
import { REPOSITORY_FOLDER } from './git-work.ts';
import { log } from '../../platform/log.ts';
import { type SetUp, keptFor, tellLost } from './kept-setup.ts';
import { type LoggedOutcome, keepOutput, runLogged } from './logged-command.ts';
import type { RepositoryFacts, TurnPlace, WorkLog, WorkshopParts } from './parts.ts';
import type { Survey } from './survey.ts';

const SETUP_TIMEOUT_MS = 15 * 60_000;
const LOOK_TIMEOUT_MS = 60_000;
const MAX_SHOWN = 1_500;

/** What a setup that no longer fits left in the repository: another one is not to build on it. */
const CLEAN = ['git', 'clean', '-ffdxq'] as const;

type Found = Pick<RepositoryFacts, 'setupCommand'> &
  Pick<Survey, 'hasSetupScript' | 'devcontainer' | 'key' | 'mark'>;

/**
 * Prepares the repository for work: the command of its settings, its own script, or what its devcontainer would run. All
 * that it prints is kept; a failure shows the end, because an agent in a half-prepared repository wastes a person's money.
 * Answers with what was run; null when there was nothing to run, or the result of an earlier time is there.
 */
export async function runSetup(
  place: TurnPlace,
  parts: WorkshopParts,
  store: WorkLog,
  artifacts: ArtifactSink,
  { setupCommand: setting, ...found }: Found,
): Promise<SetUp | null> {
  const { hasSetupScript: hasOwnScript, devcontainer, key, mark } = found;
  const setup = chooseSetup({ setting, hasOwnScript, devcontainer });
  if (setup === null) return null;
  const kept = mark === null ? null : await keptFor(place, parts);
  const choice = chooseReuse({ mark, kept, key }, Date.now());
  if (choice === 'reuse' && kept !== null) {
    const { name: layer, baseSha, madeAt, setupMs: savedMs } = kept;
    store.record([sessionEvent('setup.reused', { madeAt, savedMs, layer, baseSha })]);
    log('info', 'setup.reused', { session: place.state().sessionId, layer, baseSha, madeAt });
    return null;
  }
  if (choice === 'stale') {
    store.record([sessionEvent('setup.missed', { reason: 'stale' })]);
    await inRepository(place, CLEAN);
  } else await tellLost(place, parts, store);
  const startedAt = Date.now();
  const outcome = await runLogged(place, {
    name: 'setup',
    command: setup.command,
    limitMs: SETUP_TIMEOUT_MS,
    isClean: false,
  });
  const link = await keepOutput(artifacts, 'setup.txt', outcome.output);
  const isDone = outcome.exitCode === 0;
  const span = { name: 'setup.output', startedAt, outcome: isDone ? 'ok' : 'failed' } as const;
  store.trace.record({ ...span, detail: link });
  if (!isDone) explain(setup, outcome, link);
  return { durationMs: outcome.durationMs };
}

function inRepository(
  { port, sandboxId }: TurnPlace,
  argv: readonly [string, ...string[]],
): Promise<CommandOutcome> {
  return port.run(sandboxId, { argv, cwd: REPOSITORY_FOLDER, timeoutMs: LOOK_TIMEOUT_MS });
}

function explain(
  { source }: SetupCommand,
  { exitCode, isTooLong, output }: LoggedOutcome,
  link: string | null,
): never {
  const what = isTooLong
    ? 'printed too much and was ended'
    : exitCode === null
      ? `did not end within ${SETUP_TIMEOUT_MS / 60_000} minutes`
      : `ended with exit code ${exitCode}`;
  const all = link === null ? '' : ` All of its output: ${link}.`;
  const message = `The setup of the repository ${what}.${all} It ends with: ${output.trim().slice(-MAX_SHOWN)}`;
  return fail('setup-failed', message.slice(0, 2000), `Mend ${source}, then retry.`);
}

/**
 * Held by the script and all that it starts, so that a turn which finds it running starts no second one, and one which
 * comes after the sandbox slept starts it again.
 */
const START = `[ -f ${START_SCRIPT} ] || exit 0
exec 9>/tmp/ship-start.lock
flock -n 9 || exit 0
exec bash ${START_SCRIPT} >/tmp/ship-start.log 2>&1 </dev/null`;

/** What the repository wants to have running beside the agent, such as a database or its own server. */
export async function startServices({ port, sandboxId, secrets }: TurnPlace): Promise<void> {
  const argv = ['bash', '-c', START] as const;
  await port.start(sandboxId, { argv, cwd: REPOSITORY_FOLDER, env: secrets });
}
