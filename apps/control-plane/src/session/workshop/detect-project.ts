import { ENVIRONMENT_FILES, READ_FOR_DETECTION, SETUP_SCRIPT, START_SCRIPT } from '@ship/core';
import { READ_ONCE } from '../../agent/port.ts';
import { KEY_ARGUMENTS, KEY_FUNCTION, REUSED_SUFFIX } from '../../setups/mark.ts';
import {
  type Inventory,
  LISTING,
  readInventory,
  takeInventory,
} from '../../setups/listing-script.ts';
import { REPOSITORY_FOLDER } from './git-work.ts';
import type { Bench } from './parts.ts';

const DETECTION_TIMEOUT_MS = 60_000;

/**
 * One command for everything that is read from a new checkout: each separate one would cost a round trip and processes while a
 * person waits. Computing the key takes several processes, so it is skipped where there is nothing to set up.
 */
const DETECTION = `${KEY_FUNCTION}
setting=$1
is_there() { if [ -e "$1" ]; then printf 'yes\\0'; else printf '\\0'; fi; }
manifest=
for file in ${[...READ_FOR_DETECTION, ...ENVIRONMENT_FILES].join(' ')} requirements*.txt *.gradle *.gradle.kts Pipfile; do
  if [ -f "$file" ]; then manifest=yes; break; fi
done
if [ -n "$setting$manifest" ] || [ -f ${SETUP_SCRIPT} ]; then setup_key "$@"; fi
printf '\\0'
head -c 1000 "$PWD${REUSED_SUFFIX}" 2>/dev/null
printf '\\0'
is_there ${SETUP_SCRIPT}
is_there ${START_SCRIPT}
missed=
if [ -e "$PWD.rehearsed" ]; then
  for path in ${READ_ONCE.join(' ')}; do if [ -e "$path" ]; then missed=yes; fi; done
fi
printf '%s\\0' "$missed"
${LISTING}`;

/** Facts detected in the repository after its checkout. */
export interface DetectedProject extends Inventory {
  /** A hash of the setup's inputs; empty where there is nothing to set up. */
  key: string;
  /** The name of the saved setup whose results are here, according to the sandbox. */
  mark: string | null;
  hasSetupScript: boolean;
  hasServices: boolean;
  /** Whether the agent saw this folder before the checkout, and missed something that it reads only once. */
  isMissed: boolean;
}

/** The root of the repository and the programs of the sandbox, as they are now. */
export const inventoryOf = ({ port, sandboxId }: Pick<Bench, 'port' | 'sandboxId'>) =>
  takeInventory(port, sandboxId, REPOSITORY_FOLDER);

/** `setting`: the setup command from the settings, which is part of the key. */
export async function detectProject(
  place: Pick<Bench, 'port' | 'sandboxId'>,
  setting: string,
): Promise<DetectedProject> {
  const { text, args } = detectionScript(setting);
  return parseDetection(await runScript(place, text, ...args));
}

/** The same for a caller that runs it in the repository's folder within another command. */
export function detectionScript(setting: string): { text: string; args: readonly string[] } {
  return { text: DETECTION, args: [setting, ...KEY_ARGUMENTS] };
}

export function parseDetection(stdout: string): DetectedProject {
  const fields = stdout.split('\0');
  const [key = '', mark = '', script = '', services = '', missed = '', ...rest] = fields;
  return {
    key: key.trim(),
    mark: mark.trim() === '' ? null : mark.trim(),
    hasSetupScript: script === 'yes',
    hasServices: services === 'yes',
    isMissed: missed === 'yes',
    ...readInventory(rest),
  };
}

async function runScript(
  { port, sandboxId }: Pick<Bench, 'port' | 'sandboxId'>,
  script: string,
  ...args: string[]
): Promise<string> {
  const { stdout } = await port.run(sandboxId, {
    argv: ['bash', '-c', script, 'ship', ...args],
    cwd: REPOSITORY_FOLDER,
    timeoutMs: DETECTION_TIMEOUT_MS,
  });
  return stdout;
}
