import { fail } from '@ship/protocol';
import { REPOSITORY_FOLDER } from './git-work.ts';
import type { WorkshopParts, Workplace } from './parts.ts';

const SETUP_TIMEOUT_MS = 15 * 60_000;
const MAX_SHOWN = 2_000;
const OWN_SCRIPT = '.ship/setup.sh';

/**
 * Prepares the repository for work: the command of its settings, or its own script. Its output is kept in the sandbox; a
 * failure shows its end, because an agent in a half-prepared repository wastes a person's money.
 */
export async function runSetup(place: Workplace, parts: WorkshopParts): Promise<void> {
  const { setupCommand } = await parts.repository(place.state().repository);
  const script = setupCommand ?? `[ ! -f ${OWN_SCRIPT} ] || bash ${OWN_SCRIPT}`;
  const outcome = await place.port.run(place.sandboxId, {
    argv: ['bash', '-c', script],
    cwd: REPOSITORY_FOLDER,
    timeoutMs: SETUP_TIMEOUT_MS,
  });
  if (outcome.exitCode === 0) return;
  const output = `${outcome.stdout}\n${outcome.stderr}`.trim().slice(-MAX_SHOWN);
  fail(
    'setup-failed',
    `The setup of the repository ended with exit code ${outcome.exitCode}. ${output}`.slice(
      0,
      2000,
    ),
    `Mend ${setupCommand === null ? OWN_SCRIPT : 'the setup command in Settings'}, then retry.`,
  );
}
