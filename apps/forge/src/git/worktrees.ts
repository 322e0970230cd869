import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from './environment.ts';
import { GitError, gitInFolder, gitObjects, gitRefs, text } from './run.ts';

export interface Worktree {
  path: string;
  /** Full ref name; none when HEAD is detached. */
  ref?: string;
}

/** The output of `git worktree list --porcelain -z`. Those whose folder is gone, and bare ones, are left out. */
export function parseWorktrees(output: string): Worktree[] {
  const worktrees: Worktree[] = [];
  for (const record of output.split('\0\0')) {
    const fields = record.split('\0').filter((field) => field !== '');
    const path = fields.find((field) => field.startsWith('worktree '))?.slice('worktree '.length);
    const gone = fields.some((field) => field === 'bare' || field.startsWith('prunable'));
    if (path === undefined || gone) continue;
    const ref = fields.find((field) => field.startsWith('branch '))?.slice('branch '.length);
    worktrees.push(ref === undefined ? { path } : { path, ref });
  }
  return worktrees;
}

/** Where a branch is checked out, in the folder itself or in a linked worktree. */
export async function checkedOutAt(place: Place, ref: string): Promise<string | undefined> {
  const result = await gitRefs(place, ['worktree', 'list', '--porcelain', '-z']);
  return parseWorktrees(text(result)).find((worktree) => worktree.ref === ref)?.path;
}

const unfinished: ReadonlyArray<readonly [string, string]> = [
  ['MERGE_HEAD', 'a merge'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick'],
  ['REVERT_HEAD', 'a revert'],
  ['rebase-merge', 'a rebase'],
  ['rebase-apply', 'a rebase'],
  ['index.lock', 'another git command'],
];

/** Why the files of a checked-out branch cannot be brought forward now; none when they can. */
export async function whyNotMovable(place: Place, folder: string): Promise<string | undefined> {
  const gitDir = text(await gitInFolder(place, folder, ['rev-parse', '--absolute-git-dir'])).trim();
  for (const [file, what] of unfinished)
    if (existsSync(join(gitDir, file))) return `${what} is under way in ${folder}`;
  await gitInFolder(place, folder, ['update-index', '-q', '--refresh'], { answers: [0, 1] });
  const differs = async (...argv: string[]) =>
    (await gitInFolder(place, folder, argv, { answers: [0, 1] })).code === 1;
  if (await differs('diff-files', '--quiet', '--ignore-submodules'))
    return `${folder} has changes that are not committed`;
  if (await differs('diff-index', '--quiet', '--cached', '--ignore-submodules', 'HEAD'))
    return `${folder} has staged changes that are not committed`;
  return undefined;
}

/** Filters would run programs that the repository's config names; the forge does not. */
export async function usesFilters(place: Place, tree: string): Promise<boolean> {
  const argv = [
    'grep',
    '-q',
    '-I',
    '-E',
    '(^|[[:space:]])filter=',
    tree,
    '--',
    ':(glob)**/.gitattributes',
  ];
  return (await gitObjects(place, argv, { answers: [0, 1] })).code === 0;
}

/** Moves index and files of a checked-out branch, or changes nothing and says why (git checks every file itself). */
export async function moveFiles(
  place: Place,
  folder: string,
  before: string,
  after: string,
): Promise<string | undefined> {
  try {
    await gitInFolder(place, folder, ['read-tree', '-u', '-m', before, after]);
    return undefined;
  } catch (error) {
    if (error instanceof GitError) return error.stderr.trim().replace(/^error: /, '');
    throw error;
  }
}

export async function indexHasTree(place: Place, folder: string, commit: string): Promise<boolean> {
  const argv = ['diff-index', '--quiet', '--cached', commit];
  const result = await gitInFolder(place, folder, argv, { answers: [0, 1, 128] });
  return result.code === 0;
}
