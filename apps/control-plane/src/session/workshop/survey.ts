import { READ_FOR_DETECTION, type RepositoryListing, SETUP_SCRIPT, START_SCRIPT } from '@ship/core';
import { READ_ONCE } from '../../agent/port.ts';
import {
  DEVCONTAINER_FILES,
  KEY_ARGUMENTS,
  KEY_FUNCTION,
  REUSED_SUFFIX,
} from '../../setups/mark.ts';
import { REPOSITORY_FOLDER } from './git-work.ts';
import type { Bench } from './parts.ts';

const LOOK_TIMEOUT_MS = 60_000;
/** Of a file that is read. */
const MAX_BYTES = 200_000;

/** Names first, then those files that say how the repository is verified, each with its text; a NUL behind all of them. */
const LISTING = `
printf '%s\\0' "$(ls -1Ap | head -n 1000)"
for file in ${READ_FOR_DETECTION.join(' ')}; do
  if [ -f "$file" ]; then printf '%s\\0%s\\0' "$file" "$(head -c ${MAX_BYTES} -- "$file")"; fi
done`;

/**
 * One command for all that is asked of a repository when it has come: each would cost a round trip and processes, while
 * somebody waits for the first word. The key takes a few of them and is made only where something could be set up.
 */
const SURVEY = `${KEY_FUNCTION}
setting=$1 container=
is_there() { if [ -e "$1" ]; then printf 'yes\\0'; else printf '\\0'; fi; }
for file in ${DEVCONTAINER_FILES.join(' ')}; do
  if [ -f "$file" ]; then container=$file; break; fi
done
if [ -n "$setting$container" ] || [ -f ${SETUP_SCRIPT} ]; then setup_key "$@"; fi
printf '\\0'
head -c 1000 "$PWD${REUSED_SUFFIX}" 2>/dev/null
printf '\\0'
is_there ${SETUP_SCRIPT}
is_there ${START_SCRIPT}
if [ -n "$container" ]; then printf '%s' "$(head -c ${MAX_BYTES} -- "$container")"; fi
printf '\\0'
missed=
if [ -e "$PWD.rehearsed" ]; then
  for path in ${READ_ONCE.join(' ')}; do if [ -e "$path" ]; then missed=yes; fi; done
fi
printf '%s\\0' "$missed"
${LISTING}`;

/** What a repository says of itself, as it came. */
export interface Survey {
  /** Of what a setup depends on; empty where there is nothing to be set up. */
  key: string;
  /** The name of the kept setup whose results are here, as the sandbox says. */
  mark: string | null;
  hasSetupScript: boolean;
  hasServices: boolean;
  /** The text of its file. */
  devcontainer: string | null;
  /** Whether the agent saw this folder before the repository was in it, and has missed something that it reads only once. */
  isMissed: boolean;
  listing: RepositoryListing;
}

/** `setting`: the command for the setup that people chose, which is a part of the key. */
export async function surveyRepository(place: Bench, setting: string): Promise<Survey> {
  const { text, args } = surveyScript(setting);
  return readSurvey(await look(place, text, ...args));
}

/** The same for whoever runs it in the repository's folder with another call. */
export function surveyScript(setting: string): { text: string; args: readonly string[] } {
  return { text: SURVEY, args: [setting, ...KEY_ARGUMENTS] };
}

export function readSurvey(stdout: string): Survey {
  const fields = stdout.split('\0');
  const [key = '', mark = '', script = '', services = '', container = '', missed = '', ...rest] =
    fields;
  return {
    key: key.trim(),
    mark: mark.trim() === '' ? null : mark.trim(),
    hasSetupScript: script === 'yes',
    hasServices: services === 'yes',
    devcontainer: container === '' ? null : container,
    isMissed: missed === 'yes',
    listing: listingOf(rest),
  };
}

export async function readListing(place: Bench): Promise<RepositoryListing> {
  return listingOf((await look(place, LISTING)).split('\0'));
}

function listingOf([names = '', ...files]: string[]): RepositoryListing {
  const texts: Record<string, string> = {};
  for (let i = 0; i + 1 < files.length; i += 2) texts[files[i] ?? ''] = files[i + 1] ?? '';
  return { names: names.split('\n').filter((name) => name !== ''), texts };
}

async function look(
  { port, sandboxId }: Bench,
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
