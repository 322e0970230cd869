import type { CommitStyle, TouchedFile } from '@ship/core';
import { type Leftover, MAX_LISTED_FILES, type SkippedFile } from '@ship/protocol';
import { EMPTY_TREE } from './commit.ts';
import { LEAVE_BEHIND } from './leftovers.ts';
import { failed } from './shell.ts';
import { READ_STYLE, parseStyle } from './style.ts';
import type { FirstScript, RepositoryView } from './view.ts';

/** GitHub refuses larger files, and with them the whole push. */
const MAX_FILE_BYTES = 100 * 1024 * 1024;

/** Caches that never belong into a repository, as git patterns. Files that are tracked already stay tracked. */
const NEVER_WORK = [
  '__pycache__/',
  '*.pyc',
  '.pytest_cache/',
  '.mypy_cache/',
  '.ruff_cache/',
  '.nyc_output/',
  '/node_modules/',
  '/.venv/',
];

/**
 * One call, because it runs every minute. A nested repository appears as a new link to a commit, or makes `add` fail; only then
 * is the working tree scanned again for untracked paths that end in "/", which are such repositories. When the agent's index,
 * the starting point, is broken or split, starts from the commit instead. Files that a forge might refuse are first looked for
 * by size among the changes, and only then by a walk through the whole tree.
 */
const SNAPSHOT = `set -o pipefail
${READ_STYLE}
if [ -n "$style_base" ]; then read_style "$style_base" > "$GIT_DIR/style" & reading=$!; fi
changes=$GIT_DIR/changes
nested=()
printf '%s\\n' ${NEVER_WORK.map((pattern) => `'${pattern}'`).join(' ')} > "$GIT_DIR/exclude"
add() { git -c core.excludesFile="$GIT_DIR/exclude" add -A \${tolerant:+--ignore-errors} "$@"; }
compare() { git diff-index --cached --raw -z --no-renames --no-abbrev "\${head:-${EMPTY_TREE}}" > "$changes"; }
take() {
  local written=0
  compare &
  tree=$(git write-tree 2>/dev/null) || written=$?
  wait $! && return $written
}
if ! add 2>/dev/null || ! take || grep -zq '^:000000 160000 ' "$changes"; then
  rm -f "$GIT_INDEX_FILE" "$GIT_INDEX_FILE.lock"
  if [ -f "$repo/.git/index" ]; then cp -p "$repo/.git/index" "$GIT_INDEX_FILE"; fi
  mapfile -d '' -t nested < <(git ls-files -o --exclude-standard -z 2>/dev/null | grep -z '/$' | head -c 200000)
  paths=()
  if [ \${#nested[@]} -gt 0 ]; then
    paths=(-- :/)
    for path in "\${nested[@]}"; do paths+=(":(top,exclude,literal)\${path%/}"); done
  fi
  if ! add "\${paths[@]}" 2>/dev/null; then
    if [ -n "$head" ]; then git read-tree "$head" || exit 4; else git read-tree --empty || exit 4; fi
    add "\${paths[@]}" || [ -n "$tolerant" ] || exit 4
  fi
  take || exit 4
fi
${LEAVE_BEHIND}
lfs=()
if [ -s "$changes" ]; then
  is_pointer() { [ "$(git cat-file blob "$1" 2>/dev/null | head -c 40 | tr -d '\\0')" = 'version https://git-lfs.github.com/spec/' ]; }
  while IFS= read -r -d '' path && IFS= read -r -d '' _ && IFS= read -r -d '' value; do
    if [ "$value" != lfs ] || is_pointer ":0:$path" || [ "$(git cat-file -s ":0:$path" 2>/dev/null)" = 0 ]; then continue; fi
    # Content that the commit has without LFS stays as it is.
    if [ -n "$head" ] && git cat-file -e "$head:$path" 2>/dev/null && ! is_pointer "$head:$path"; then continue; fi
    lfs+=("$path")
  done < <(sed -zn '/ D$/{n;d};n;p' "$changes" | head -c 100000 | git check-attr --stdin -z filter)
fi
style=()
if [ -n "$style_base" ]; then wait "$reading"; mapfile -d '' style < "$GIT_DIR/style"; fi
printf '%s\\0' "\${#style[@]}" "\${style[@]}"
printf '%s\\0' "$tree" "\${nested[@]}" "\${lfs[@]}" ''
if sed -zn 's/^:[0-7]* 1[0-7]* [0-9a-f]* \\([0-9a-f]*\\) .$/\\1/p' "$changes" | tr '\\0' '\\n' |
  git cat-file --batch-check='%(objectsize)' | grep -E "^[0-9]{\${#limit},}" > /dev/null; then
  git rev-list --objects --filter="blob:limit=$limit" --filter-print-omitted "$tree" \${head:+"^$head"} 2>/dev/null |
    grep '^~' | head -c 20000
fi
printf '\\0'
head -c 20000 "$changes"
exit 0`;
const PATHS = 'git ls-files -s -z | grep -zF -e "$@"';

export interface Snapshot {
  treeSha: string;
  skipped: SkippedFile[];
  /** Since the commit; only the first of very many. */
  changes: TouchedFile[];
  /** How commits of the repository are written, where that was asked for. */
  style: CommitStyle;
}

interface SnapshotOptions {
  /** While the agent works a file may vanish during the snapshot; the next checkpoint will have what this one missed. */
  isTolerant?: boolean;
  maxFileBytes?: number;
  /** Files that setup and tests left behind: left out, unless the agent has changed them since. */
  leftovers?: readonly Leftover[];
  /** Resets files that are left out to the commit's content, so that a later checkout finds them unchanged. */
  isReset?: boolean;
  /** The commit whose rules and history say how commits are written. Read in the same call, while git adds files. */
  styleBase?: string | null;
}

/** Runs in the call that opens a view; `snapshot` then uses its result. */
export function snapshotFirst({
  isTolerant = false,
  maxFileBytes = MAX_FILE_BYTES,
  leftovers = [],
  isReset = false,
  styleBase = null,
}: SnapshotOptions = {}): FirstScript {
  const pairs = leftovers.map(({ by, fromTree, toTree }) => `${by}:${fromTree}:${toTree}`);
  const args = [
    String(maxFileBytes + 1),
    isTolerant ? 'yes' : '',
    pairs.join(' '),
    isReset ? 'yes' : '',
    styleBase ?? '',
  ];
  const names = 'limit=$1 tolerant=$2 leftovers=$3 reset=$4 style_base=$5';
  return { text: `${names}\n${SNAPSHOT}`, args };
}

/**
 * Everything in the working tree that is not ignored, as a tree, through the view's index. Leaves out files that no forge
 * accepts, nested repositories, of which git would keep only a dangling reference, and content that belongs into Git
 * LFS: a commit would have the content itself instead of a pointer.
 */
export async function snapshot(
  view: RepositoryView,
  options: SnapshotOptions = {},
): Promise<Snapshot> {
  const { head = '' } = view.found;
  const { text, args } = snapshotFirst(options);
  const outcome =
    view.takeFirstOutput() ??
    (await view.script(`repo=$6 head=$7\n${text}`, [...args, view.folder, head]));
  if (outcome.exitCode !== 0) failed('read the working tree', outcome);
  const all = outcome.stdout.split('\0');
  const styleWords = Number(all[0]);
  const style = parseStyle(all.slice(1, 1 + styleWords));
  const words = all.slice(1 + styleWords);
  const end = words.indexOf('');
  const [treeSha = '', ...odd] = words.slice(0, end);
  // Only a folder ends with a slash.
  const nested = odd.filter((path) => path.endsWith('/'));
  const lfs = odd.filter((path) => !path.endsWith('/'));
  const skipped: SkippedFile[] = nested.map((path) => ({
    path: path.replace(/\/$/, ''),
    reason: 'nested-repository',
  }));
  const large = words[end + 1]?.match(/[0-9a-f]{40,64}/g) ?? [];
  const changes = changedFiles(words.slice(end + 2));
  if (large.length === 0 && lfs.length === 0)
    return { treeSha, skipped: skipped.slice(0, MAX_LISTED_FILES), changes, style };
  const left = new Set<string>();
  const leave = async (path: string, reason: SkippedFile['reason']) => {
    if (left.has(path)) return;
    await leaveOut(view, path);
    skipped.push({ path, reason });
    left.add(path);
  };
  for (const path of large.length === 0 ? [] : await pathsOf(view, large))
    await leave(path, 'too-large');
  for (const path of lfs) await leave(path, 'lfs-content');
  return {
    treeSha: await view.text(['write-tree']),
    skipped: skipped.slice(0, MAX_LISTED_FILES),
    changes: changes.filter(({ path }) => !left.has(path)),
    style,
  };
}

const STATUS: Readonly<Record<string, TouchedFile['status']>> = { A: 'added', D: 'deleted' };

/** Removes by-products of tools from a snapshot, and resets them on disk where the commit has them. */
export async function withoutFiles(
  view: RepositoryView,
  taken: Snapshot,
  paths: readonly string[],
): Promise<Snapshot> {
  if (paths.length === 0) return taken;
  for (const path of paths) {
    await leaveOut(view, path);
    // Fails for a file that the commit does not have, which stays where it is.
    await view.git(['checkout-index', '-f', '--', path]);
  }
  const skipped = paths.map((path) => ({ path, reason: 'by-product' as const }));
  return {
    treeSha: await view.text(['write-tree']),
    skipped: [...taken.skipped, ...skipped].slice(0, MAX_LISTED_FILES),
    changes: taken.changes.filter(({ path }) => !paths.includes(path)),
    style: taken.style,
  };
}

/** Alternating `:old-mode new-mode old-id new-id STATUS` and path; the last is empty, or was truncated. */
function changedFiles(words: readonly string[]): TouchedFile[] {
  const files: TouchedFile[] = [];
  for (let i = 0; i + 2 < words.length; i += 2)
    files.push({
      path: words[i + 1] ?? '',
      status: STATUS[words[i]?.at(-1) ?? ''] ?? 'other',
    });
  return files;
}

async function pathsOf(view: RepositoryView, shas: readonly string[]): Promise<string[]> {
  const { stdout } = await view.script(PATHS, [shas.slice(0, 100).join('\n')]);
  return stdout.split('\0').flatMap((line) => line.split('\t').slice(1).join('\t') || []);
}

/** Resets the path in the index to the commit, or removes it. */
async function leaveOut(view: RepositoryView, path: string): Promise<void> {
  const { head } = view.found;
  const known =
    head === undefined
      ? ''
      : await view.text(['--literal-pathspecs', 'ls-tree', '-z', head, '--', path]);
  const [, mode, sha] = /^(\d+) \w+ ([0-9a-f]+)\t/.exec(known) ?? [];
  await view.text(
    mode === undefined || sha === undefined
      ? ['update-index', '--force-remove', '--', path]
      : ['update-index', '--cacheinfo', mode, sha, path],
  );
}
