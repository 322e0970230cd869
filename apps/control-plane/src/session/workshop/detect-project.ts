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

const LOOK_TIMEOUT_MS = 60_000;

/**
 * One command for all that is asked of a repository when it has come: each would cost a round trip and processes, while
 * somebody waits for the first word. The key takes a few of them and is made only where something could be set up.
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

/** What a repository says of itself, as it came. */
export interface DetectedProject extends Inventory {
  /** Of what a setup depends on; empty where there is nothing to be set up. */
  key: string;
  /** The name of the kept setup whose results are here, as the sandbox says. */
  mark: string | null;
  hasSetupScript: boolean;
  hasServices: boolean;
  /** Whether the agent saw this folder before the repository was in it, and has missed something that it reads only once. */
  isMissed: boolean;
}

/** The root of the repository and the programs of the sandbox, as they are now. */
export const inventoryOf = ({ port, sandboxId }: Pick<Bench, 'port' | 'sandboxId'>) =>
  takeInventory(port, sandboxId, REPOSITORY_FOLDER);

/** `setting`: the command for the setup that people chose, which is a part of the key. */
export async function detectProject(
  place: Pick<Bench, 'port' | 'sandboxId'>,
  setting: string,
): Promise<DetectedProject> {
  const { text, args } = detectionScript(setting);
  return parseDetection(await look(place, text, ...args));
}

/** The same for whoever runs it in the repository's folder with another call. */
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

async function look(
  { port, sandboxId }: Pick<Bench, 'port' | 'sandboxId'>,
  script: string,
  ...args: string[]
): Promise<string> {
  const { stdout } = await port.run(sandboxId, {
    argv: ['bash', '-c', script, 'ship', ...args],
    cwd: REPOSITORY_FOLDER,
    timeoutMs: LOOK_TIMEOUT_MS,
  });
  return stdout;
}
