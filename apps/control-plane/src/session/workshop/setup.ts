import { type SetupCommand, SETUP_SCRIPT, START_SCRIPT, chooseSetup } from '@ship/core';
import { fail } from '@ship/protocol';
import type { ArtifactSink } from '../ingest/draft.ts';
import { REPOSITORY_FOLDER } from './git-work.ts';
import { type LoggedOutcome, keepOutput, runLogged } from './logged-command.ts';
import type { TurnPlace, WorkLog, WorkshopParts } from './parts.ts';

const SETUP_TIMEOUT_MS = 15 * 60_000;
const LOOK_TIMEOUT_MS = 60_000;
const MAX_SHOWN = 1_500;

/** What is needed to choose: first a line that says whether there is a script, then the devcontainer's file. */
const LOOK = `if [ -f ${SETUP_SCRIPT} ]; then echo yes; else echo no; fi
for file in .devcontainer/devcontainer.json .devcontainer.json; do
  if [ -f "$file" ]; then head -c 200000 "$file"; break; fi
done`;

/**
 * Prepares the repository for work: the command of its settings, its own script, or what its devcontainer would run. All
 * that it prints is kept; a failure shows the end, because an agent in a half-prepared repository wastes a person's money.
 */
export async function runSetup(
  place: TurnPlace,
  parts: WorkshopParts,
  store: WorkLog,
  artifacts: ArtifactSink,
): Promise<void> {
  const setup = await findSetup(place, parts);
  if (setup === null) return;
  const startedAt = Date.now();
  const { command } = setup;
  const outcome = await runLogged(place, {
    name: 'setup',
    command,
    limitMs: SETUP_TIMEOUT_MS,
    isClean: false,
  });
  const link = await keepOutput(artifacts, 'setup.txt', outcome.output);
  const isDone = outcome.exitCode === 0;
  const span = { name: 'setup.output', startedAt, outcome: isDone ? 'ok' : 'failed' } as const;
  store.trace.record({ ...span, detail: link });
  if (!isDone) explain(setup, outcome, link);
}

async function findSetup(place: TurnPlace, parts: WorkshopParts): Promise<SetupCommand | null> {
  const { setupCommand: setting } = await parts.repository(place.state().repository);
  const { stdout } = await place.port.run(place.sandboxId, {
    argv: ['bash', '-c', LOOK],
    cwd: REPOSITORY_FOLDER,
    timeoutMs: LOOK_TIMEOUT_MS,
  });
  const [first = ''] = stdout.split('\n', 1);
  const devcontainer = stdout.slice(first.length + 1);
  return chooseSetup({
    setting,
    hasOwnScript: first === 'yes',
    devcontainer: devcontainer === '' ? null : devcontainer,
  });
}

function explain(
  { source }: SetupCommand,
  { exitCode, output }: LoggedOutcome,
  link: string | null,
): never {
  const what =
    exitCode === null
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
