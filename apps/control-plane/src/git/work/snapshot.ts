import { MAX_LISTED_FILES, type SkippedFile } from '@ship/protocol';
import { failed } from './shell.ts';
import type { RepositoryView } from './view.ts';

/** GitHub refuses larger files, and the whole push with them. */
const MAX_FILE_BYTES = 100 * 1024 * 1024;

/**
 * One call, because it is done every minute. Untracked paths that end in "/" are repositories inside the repository. When
 * the agent's index, from which we begin, is broken or split, we begin with the commit instead.
 */
const SNAPSHOT = `set -o pipefail
limit=$1 head=$2 tolerant=$3
mapfile -d '' -t nested < <(git ls-files -o --exclude-standard -z 2>/dev/null | grep -z '/$' | head -c 200000)
paths=()
if [ \${#nested[@]} -gt 0 ]; then
  paths=(-- :/)
  for path in "\${nested[@]}"; do paths+=(":(top,exclude,literal)\${path%/}"); done
fi
add() { git add -A \${tolerant:+--ignore-errors} "\${paths[@]}"; }
if ! add 2>/dev/null; then
  if [ -n "$head" ]; then git read-tree "$head" || exit 4; else git read-tree --empty || exit 4; fi
  add || [ -n "$tolerant" ] || exit 4
fi
tree=$(git write-tree) || exit 4
printf '%s\\0' "$tree" "\${nested[@]}" ''
git rev-list --objects --filter="blob:limit=$limit" --filter-print-omitted "$tree" \${head:+"^$head"} 2>/dev/null |
  grep '^~' | head -c 20000
exit 0`;
const PATHS = 'git ls-files -s -z | grep -zF -e "$@"';

export interface Snapshot {
  treeSha: string;
  skipped: SkippedFile[];
}

interface SnapshotOptions {
  /** While the agent works a file may vanish under our hands; the next checkpoint will have what this one missed. */
  isTolerant?: boolean;
  maxFileBytes?: number;
}

/**
 * Everything in the working tree that is not ignored, as a tree, through the view's index. Left out: files that no forge
 * takes, and repositories inside the repository, of which git would keep a mere reference that nobody can follow.
 */
export async function snapshot(
  view: RepositoryView,
  { isTolerant = false, maxFileBytes = MAX_FILE_BYTES }: SnapshotOptions = {},
): Promise<Snapshot> {
  const { head = '' } = view.found;
  const outcome = await view.script(SNAPSHOT, [
    String(maxFileBytes + 1),
    head,
    isTolerant ? 'yes' : '',
  ]);
  if (outcome.exitCode !== 0) failed('read the working tree', outcome);
  const words = outcome.stdout.split('\0');
  const end = words.indexOf('');
  const [treeSha = '', ...nested] = words.slice(0, end);
  const skipped: SkippedFile[] = nested.map((path) => ({
    path: path.replace(/\/$/, ''),
    reason: 'nested-repository',
  }));
  const large = words[end + 1]?.match(/[0-9a-f]{40,64}/g) ?? [];
  if (large.length === 0) return { treeSha, skipped: skipped.slice(0, MAX_LISTED_FILES) };
  for (const path of await pathsOf(view, large)) {
    await leaveOut(view, path);
    skipped.push({ path, reason: 'too-large' });
  }
  return {
    treeSha: await view.text(['write-tree']),
    skipped: skipped.slice(0, MAX_LISTED_FILES),
  };
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
