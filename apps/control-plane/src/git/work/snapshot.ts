import { MAX_LISTED_FILES, type SkippedFile } from '@ship/protocol';
import type { RepositoryView } from './view.ts';

/** GitHub refuses larger files, and the whole push with them. */
const MAX_FILE_BYTES = 100 * 1024 * 1024;
const LIST_BYTES = 200_000;

/** Of all untracked paths only those that end in "/": git lists a repository inside a repository like that. */
const NESTED = `set -o pipefail; git ls-files -o --exclude-standard -z | grep -z '/$' | head -c ${LIST_BYTES}`;
const LARGE = `set -o pipefail
git rev-list --objects --filter="blob:limit=$1" --filter-print-omitted "$2" \${3:+"^$3"} | grep '^~' | head -c ${LIST_BYTES}`;
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
  head: string | undefined,
  { isTolerant = false, maxFileBytes = MAX_FILE_BYTES }: SnapshotOptions = {},
): Promise<Snapshot> {
  const nested = await nestedRepositories(view);
  await addAll(view, head, nested, isTolerant);
  let treeSha = await view.text(['write-tree']);
  const skipped: SkippedFile[] = nested.map((path) => ({ path, reason: 'nested-repository' }));
  const headTree =
    head === undefined ? undefined : await view.text(['rev-parse', `${head}^{tree}`]);
  if (treeSha !== headTree) {
    const large = await largeFiles(view, treeSha, head, maxFileBytes);
    if (large.length > 0) {
      for (const path of large) await leaveOut(view, path, head);
      skipped.push(...large.map((path) => ({ path, reason: 'too-large' as const })));
      treeSha = await view.text(['write-tree']);
    }
  }
  return { treeSha, skipped: skipped.slice(0, MAX_LISTED_FILES) };
}

async function nestedRepositories(view: RepositoryView): Promise<string[]> {
  const { stdout } = await view.script(NESTED, []);
  return words(stdout).map((path) => path.replace(/\/$/, ''));
}

async function addAll(
  view: RepositoryView,
  head: string | undefined,
  nested: readonly string[],
  isTolerant: boolean,
): Promise<void> {
  const exclusions = nested.map((path) => `:(top,exclude,literal)${path}`);
  const paths = exclusions.length === 0 ? [] : ['--', ':/', ...exclusions];
  const argv = ['add', '-A', ...(isTolerant ? ['--ignore-errors'] : []), ...paths];
  if ((await view.git(argv)).exitCode === 0) return;
  // The agent's index, from which we began, may be broken or split: begin with the commit instead.
  await view.text(head === undefined ? ['read-tree', '--empty'] : ['read-tree', head]);
  if (isTolerant) await view.git(argv);
  else await view.text(argv);
}

async function largeFiles(
  view: RepositoryView,
  treeSha: string,
  head: string | undefined,
  maxFileBytes: number,
): Promise<string[]> {
  const limit = String(maxFileBytes + 1);
  const { stdout } = await view.script(LARGE, [limit, treeSha, head ?? '']);
  const shas = stdout.split('\n').flatMap((line) => /^~([0-9a-f]{40,64})/.exec(line)?.[1] ?? []);
  if (shas.length === 0) return [];
  const listed = await view.script(PATHS, [shas.slice(0, 100).join('\n')]);
  return words(listed.stdout).flatMap((line) => line.split('\t').slice(1).join('\t') || []);
}

/** As it is in the commit, or not at all. */
async function leaveOut(
  view: RepositoryView,
  path: string,
  head: string | undefined,
): Promise<void> {
  const known =
    head === undefined
      ? ''
      : await view.text(['ls-tree', '-z', head, '--', `:(top,literal)${path}`]).catch(() => '');
  const [, mode, sha] = /^(\d+) \w+ ([0-9a-f]+)\t/.exec(known) ?? [];
  await view.text(
    mode === undefined || sha === undefined
      ? ['update-index', '--force-remove', '--', path]
      : ['update-index', '--cacheinfo', mode, sha, path],
  );
}

function words(text: string): string[] {
  return text.split('\0').filter((word) => word !== '');
}
