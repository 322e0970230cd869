import {
  ENVIRONMENT_FILES,
  PROBED_PROGRAMS,
  type Programs,
  READ_FOR_DETECTION,
  READ_HEADS,
  type RepositoryListing,
  TEAM_PROGRAMS,
  readPrograms,
} from '@ship/core';
import type { SandboxPort } from '../sandbox/port.ts';

/** Per file that is read. */
const MAX_FILE_BYTES = 200_000;
const MAX_HEAD_BYTES = 2_000;
/** Files that describe the environment: a repository has a handful. */
const MAX_ENVIRONMENT_FILES = 40;
const LISTING_TIMEOUT_MS = 60_000;

/**
 * Reads versions only of what the repository could use: each is a process. Runs in `/`, because rustup and Go would otherwise
 * download the version that the repository asks for.
 */
const PROBE = `
for name in ${[...PROBED_PROGRAMS, ...TEAM_PROGRAMS].join(' ')}; do
  if command -v "$name" >/dev/null 2>&1; then printf '%s\\n' "$name"; fi
done
version() {
  if command -v "$1" >/dev/null 2>&1; then
    printf '%s %s\\n' "$1" "$(cd / && GOTOOLCHAIN=local timeout 5 "$@" 2>&1 </dev/null | head -n 1)"
  fi
}
# Debian keeps PostgreSQL's programs out of the path.
if ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1; then echo postgres; fi
for file in .devcontainer .devcontainer.json .cursor/environment.json .github/workflows/copilot-setup-steps.y*ml; do
  if [ "$whole" = yes ] && [ -e "$file" ]; then
    for name in node python3 cargo ruby php bun; do version "$name" --version; done
    version go version
    version java -version
    break
  fi
done
if [ -f package.json ]; then version node --version; fi
if [ -f go.mod ]; then version go version; fi
if [ -f Cargo.toml ]; then version cargo --version; fi
if [ -f Gemfile ]; then version ruby --version; fi
if [ -f composer.json ]; then version php --version; fi
for file in pyproject.toml setup.py setup.cfg Pipfile requirements *.py requirements*.txt; do
  if [ -e "$file" ]; then
    version python3 --version
    cd / && timeout 5 python3 -c 'from importlib.util import find_spec
for name in ("ensurepip", "pip", "pytest"):
    if find_spec(name): print(name)' 2>/dev/null </dev/null || true
    break
  fi
done`;

/**
 * Prints the programs of the sandbox, then the names in the repository's root, then the files that say how it is prepared and
 * verified, each with its text; a NUL after each of them.
 */
export const LISTING = `
printf '%s\\0' "$(${PROBE}
)"
printf '%s\\0' "$(ls -1Ap | head -n 1000)"
for file in ${READ_FOR_DETECTION.join(' ')}; do
  if [ -f "$file" ]; then printf '%s\\0%s\\0' "$file" "$(head -c ${MAX_FILE_BYTES} -- "$file")"; fi
done
count=0
for file in ${ENVIRONMENT_FILES.join(' ')}; do
  if [ "$count" -lt ${MAX_ENVIRONMENT_FILES} ] && [ -f "$file" ]; then
    count=$((count + 1))
    printf '%s\\0%s\\0' "$file" "$(head -c ${MAX_FILE_BYTES} -- "$file")"
  fi
done
for file in ${READ_HEADS.join(' ')}; do
  if [ -f "$file" ]; then printf '%s\\0%s\\0' "$file" "$(head -c ${MAX_HEAD_BYTES} -- "$file")"; fi
done`;

/** The repository's root and the programs beside it. */
export interface Inventory {
  programs: NonNullable<Programs>;
  listing: RepositoryListing;
}

/** Parses the output of `LISTING`. */
export function readInventory([programs = '', names = '', ...files]: readonly string[]): Inventory {
  const texts: Record<string, string> = {};
  for (let i = 0; i + 1 < files.length; i += 2) texts[files[i] ?? ''] = files[i + 1] ?? '';
  const listing = { names: names.split('\n').filter((name) => name !== ''), texts };
  return { programs: readPrograms(programs), listing };
}

/**
 * Runs with the variables of the repository's own programs: the detection that comes with a clone runs with git's narrow
 * `PATH`, and would miss a toolchain elsewhere.
 */
export async function takeInventory(
  port: Pick<SandboxPort, 'run'>,
  sandboxId: string,
  folder: string,
): Promise<Inventory> {
  // Eight more processes: only here, where people see the result.
  const argv = ['bash', '-c', `whole=yes\n${LISTING}`] as const;
  const { stdout } = await port.run(sandboxId, {
    argv,
    cwd: folder,
    timeoutMs: LISTING_TIMEOUT_MS,
  });
  return readInventory(stdout.split('\0'));
}
