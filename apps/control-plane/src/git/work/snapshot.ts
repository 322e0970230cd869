import { MAX_LISTED_FILES, type SkippedFile } from '@ship/protocol';
import { EMPTY_TREE } from './commit.ts';
import { failed } from './shell.ts';
import type { FirstScript, RepositoryView } from './view.ts';

/** GitHub refuses larger files, and the whole push with them. */
const MAX_FILE_BYTES = 100 * 1024 * 1024;

/**
 * One call, because it is done every minute. A repository inside the repository shows as a new link to a commit, or makes
 * `add` fail; only then the working tree is walked once more, for untracked paths that end in "/", which are such
 * repositories. When the agent's index, from which we begin, is broken or split, we begin with the commit instead. What a
 * forge might not take is looked for by its size among what changed, and only then by a walk through all of the tree.
 */
const SNAPSHOT = `set -o pipefail
changes=$GIT_DIR/changes
nested=()
add() { git add -A \${tolerant:+--ignore-errors} "$@"; }
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
printf '%s\\0' "$tree" "\${nested[@]}" ''
if sed -zn 's/^:[0-7]* 1[0-7]* [0-9a-f]* \\([0-9a-f]*\\) .$/\\1/p' "$changes" | tr '\\0' '\\n' |
  git cat-file --batch-check='%(objectsize)' | grep -E "^[0-9]{\${#limit},}" > /dev/null; then
  git rev-list --objects --filter="blob:limit=$limit" --filter-print-omitted "$tree" \${head:+"^$head"} 2>/dev/null |
    grep '^~' | head -c 20000
fi
printf '\\0'
head -c 20000 "$changes"
exit 0`;
const PATHS = 'git ls-files -s -z | grep -zF -e "$@"';

interface ChangedFile {
  path: string;
  status: 'added' | 'other';
}

export interface Snapshot {
  treeSha: string;
  skipped: SkippedFile[];
  /** Since the commit; of very many the first. */
  changes: ChangedFile[];
}

interface SnapshotOptions {
  /** While the agent works a file may vanish under our hands; the next checkpoint will have what this one missed. */
  isTolerant?: boolean;
  maxFileBytes?: number;
}

/** To be taken in the call that opens a view, which `snapshot` then finds done. */
export function snapshotFirst({
  isTolerant = false,
  maxFileBytes = MAX_FILE_BYTES,
}: SnapshotOptions = {}): FirstScript {
  const args = [String(maxFileBytes + 1), isTolerant ? 'yes' : ''];
  return { text: `limit=$1 tolerant=$2\n${SNAPSHOT}`, args };
}

/**
 * Everything in the working tree that is not ignored, as a tree, through the view's index. Left out: files that no forge
 * takes, and repositories inside the repository, of which git would keep a mere reference that nobody can follow.
 */
export async function snapshot(
  view: RepositoryView,
  options: SnapshotOptions = {},
): Promise<Snapshot> {
  const { head = '' } = view.found;
  const { text, args } = snapshotFirst(options);
  const outcome =
    view.takeEarly() ??
    (await view.script(`repo=$3 head=$4\n${text}`, [...args, view.folder, head]));
  if (outcome.exitCode !== 0) failed('read the working tree', outcome);
  const words = outcome.stdout.split('\0');
  const end = words.indexOf('');
  const [treeSha = '', ...nested] = words.slice(0, end);
  const skipped: SkippedFile[] = nested.map((path) => ({
    path: path.replace(/\/$/, ''),
    reason: 'nested-repository',
  }));
  const large = words[end + 1]?.match(/[0-9a-f]{40,64}/g) ?? [];
  const changes = changedFiles(words.slice(end + 2));
  if (large.length === 0) return { treeSha, skipped: skipped.slice(0, MAX_LISTED_FILES), changes };
  const left = new Set<string>();
  for (const path of await pathsOf(view, large)) {
    await leaveOut(view, path);
    skipped.push({ path, reason: 'too-large' });
    left.add(path);
  }
  return {
    treeSha: await view.text(['write-tree']),
    skipped: skipped.slice(0, MAX_LISTED_FILES),
    changes: changes.filter(({ path }) => !left.has(path)),
  };
}

/** `:old-mode new-mode old-id new-id STATUS` and the path, in turns; the last is empty, or was cut. */
function changedFiles(words: readonly string[]): ChangedFile[] {
  const files: ChangedFile[] = [];
  for (let i = 0; i + 2 < words.length; i += 2)
    files.push({
      path: words[i + 1] ?? '',
      status: words[i]?.endsWith(' A') === true ? 'added' : 'other',
    });
  return files;
}

async function pathsOf(view: RepositoryView, shas: readonly string[]): Promise<string[]> {
  const { stdout } = await view.script(PATHS, [shas.slice(0, 100).join('\n')]);
  return stdout.split('\0').flatMap((line) => line.split('\t').slice(1).join('\t') || []);
}

/** As it is in the commit, or not at all. */
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
