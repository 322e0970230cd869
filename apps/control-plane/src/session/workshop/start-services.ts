import {
  START_SCRIPT,
  type TeamEnvironment,
  environmentScript,
  servicesScript,
  startScript,
} from '@ship/core';
import { log } from '../../platform/log.ts';
import { REPOSITORY_FOLDER } from './git-work.ts';
import type { CommandPlace } from './parts.ts';

/** Enough for three servers that initialize their data, on a busy machine. */
const SERVICES_TIMEOUT_MS = 90_000;

/**
 * The lock is held by the script and everything that it starts: a turn that finds it held starts no second instance, and a turn
 * after the sandbox slept starts it again.
 */
const START = `[ -f ${START_SCRIPT} ] || [ -n "$1" ] || exit 0
exec 9>/tmp/ship-start.lock
flock -n 9 || exit 0
exec >/tmp/ship-start.log 2>&1 </dev/null
eval "$2"
if [ -f ${START_SCRIPT} ]; then exec bash ${START_SCRIPT}; fi
exec bash -c "$1"`;

/**
 * Starts what the repository needs beside the agent. Waits until the servers of its compose file answer: tests that start too
 * early would look like failing ones. Its own script and its team's start commands continue in the background.
 */
export async function startServices(
  { port, sandboxId, secrets }: CommandPlace,
  team: TeamEnvironment | null,
): Promise<void> {
  const services = team === null ? '' : servicesScript(team.services);
  if (services !== '') {
    const { exitCode } = await port.run(sandboxId, {
      argv: ['bash', '-c', `${services}\nexit "$ship_code"`],
      cwd: REPOSITORY_FOLDER,
      env: secrets,
      timeoutMs: SERVICES_TIMEOUT_MS,
    });
    if (exitCode !== 0) log('warn', 'services.failed', { sandbox: sandboxId });
  }
  const start = team === null ? '' : startScript(team);
  const environment = team === null ? '' : environmentScript(team);
  const argv = ['bash', '-c', START, 'ship', start, environment] as const;
  await port.start(sandboxId, { argv, cwd: REPOSITORY_FOLDER, env: secrets });
}
