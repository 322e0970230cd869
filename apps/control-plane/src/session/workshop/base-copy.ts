import type { Leftover } from '@ship/protocol';
import { sandboxShell } from '../../git/index.ts';
import { script } from '../../git/work/shell.ts';
import { REPOSITORY_FOLDER } from './git-work.ts';
import type { Bench } from './parts.ts';

/** Beside the repository, so that files can be hard-linked, and never inside it. */
const COPY_FOLDER = `${REPOSITORY_FOLDER}-base`;
/** A slower copy is given up: it competes with the agent for the disk. */
const COPY_TIMEOUT_MS = 120_000;
const SCRIPT_TIMEOUT_MS = 20_000;

/**
 * Whether a copy would behave like the repository. Services keep files and ports of the repository itself, and a Python package
 * that is installed from the folder for the whole sandbox would be tested instead of the copy.
 */
const CAN_COPY = `repo=$1
[ ! -e "$repo/.ship/start.sh" ] || exit 7
for lib in /home/*/.local/lib /root/.local/lib /usr/lib /usr/local/lib; do
  if grep -qsF -- "$repo" "$lib"/python3*/*-packages/*.pth "$lib"/python3*/*-packages/__editable__*; then exit 7; fi
done
exit 0`;

/**
 * A second checkout of a commit or tree that borrows objects from the repository. Installed dependencies are hard-linked:
 * package managers replace files instead of writing into them. Build results are copied, caches are left out. Paths of the
 * repository inside virtual environments are rewritten: they would otherwise lead back to the agent's files.
 */
const COPY = `set -eu
repo=$1 copy=$2 commit=$3 from=$4 tree=$5
rm -rf "$copy"
git init -q "$copy"
printf '%s\\n' "$repo/.git/objects" > "$copy/.git/objects/info/alternates"
if [ -f "$repo/.git/shallow" ]; then cp "$repo/.git/shallow" "$copy/.git/shallow"; fi
cd "$copy"
git update-ref --no-deref HEAD "$commit"
# A setup's result counts only if it was made from this very commit, and not from the agent's work.
if [ "$(git rev-parse "$commit^{tree}")" != "$from" ] || ! git cat-file -e "$tree" 2>/dev/null; then tree=$commit; fi
git -c checkout.workers=4 -c core.hooksPath=/dev/null read-tree -u --reset "$tree"
# Submodules at the base's commit, even if the agent has changed them since.
{ git ls-files -s -z | grep -z '^160000 ' || true; } | while IFS= read -r -d '' line; do
  path=\${line#*$'\\t'} sha=\${line#160000 }
  if [ ! -f "$repo/$path/.git" ]; then continue; fi
  mkdir -p "$copy/$path"
  git -C "$repo/$path" -c core.fsmonitor=false archive "\${sha%% *}" 2>/dev/null | tar -x -C "$copy/$path" 2>/dev/null || true
done
git --git-dir="$repo/.git" --work-tree="$repo" -C "$repo" -c core.fsmonitor=false \\
  ls-files -o -i --exclude-standard --directory -z | while IFS= read -r -d '' path; do
  name=\${path%/}
  case $name in ''|.|..|/*) continue;; esac
  case \${name##*/} in
    target|.cache|.turbo|.next|.nuxt|.gradle|coverage|.nyc_output|.pytest_cache|.mypy_cache|.ruff_cache|__pycache__) continue;;
    node_modules|.venv|venv|vendor|.bundle|bower_components|.yarn) how=-al;;
    *) how=-a;;
  esac
  case $name in */*) mkdir -p "$copy/\${name%/*}";; esac
  cp $how -- "$repo/$name" "$copy/$name" 2>/dev/null || true
  if [ -f "$copy/$name/pyvenv.cfg" ]; then
    { grep -rlIsF --null -- "$repo" "$copy/$name/bin" "$copy/$name"/lib/python3*/site-packages/*.pth \\
      "$copy/$name"/lib/python3*/site-packages/__editable__* || true; } |
      while IFS= read -r -d '' file; do
        sed "s#$repo#$copy#g" "$file" > "$file.ship" && chmod --reference="$file" "$file.ship" && mv -f "$file.ship" "$file"
      done
  fi
done`;

const OVERLAY = `set -eu
repo=$1 copy=$2; shift 2
for path; do
  case $path in */*) mkdir -p "$copy/\${path%/*}";; esac
  cp -a --remove-destination -- "$repo/$path" "$copy/$path"
done`;

const REMOVE = `chmod -R u+w "$1" 2>/dev/null; rm -rf "$1"`;

type SandboxRef = Pick<Bench, 'port' | 'sandboxId'>;

const run = (
  { port, sandboxId }: SandboxRef,
  text: string,
  args: readonly string[],
  timeoutMs: number,
) => script(sandboxShell(port, sandboxId), text, args, { timeoutMs });

export async function canCopyBase(place: SandboxRef): Promise<boolean> {
  const { exitCode } = await run(place, CAN_COPY, [REPOSITORY_FOLDER], SCRIPT_TIMEOUT_MS);
  return exitCode === 0;
}

/**
 * The folder of the copy, including what the setup made of the commit's files; null when the copy failed. The caller removes
 * it.
 */
export async function copyBase(
  place: SandboxRef,
  commit: string,
  leftovers: readonly Leftover[],
): Promise<string | null> {
  const { fromTree = '', toTree = '' } = leftovers.find(({ by }) => by === 'setup') ?? {};
  const args = [REPOSITORY_FOLDER, COPY_FOLDER, commit, fromTree, toTree];
  const outcome = await run(place, COPY, args, COPY_TIMEOUT_MS).catch(() => null);
  if (outcome?.exitCode === 0) return COPY_FOLDER;
  await removeCopy(place);
  return null;
}

/** Copies files of the working tree into the copy, by their paths in the repository. */
export async function putIntoCopy(place: SandboxRef, paths: readonly string[]): Promise<boolean> {
  const { exitCode } = await run(
    place,
    OVERLAY,
    [REPOSITORY_FOLDER, COPY_FOLDER, ...paths],
    SCRIPT_TIMEOUT_MS,
  );
  return exitCode === 0;
}

export async function removeCopy(place: SandboxRef): Promise<void> {
  await run(place, REMOVE, [COPY_FOLDER], COPY_TIMEOUT_MS).catch(() => undefined);
}
