import {
  type ChangedFile,
  DIFF_LIMITS,
  diffOf,
  fileDiff,
  parseChangedFiles,
  splitPatches,
} from '@ship/core';
import type { Diff, Leftover } from '@ship/protocol';
import { EMPTY_TREE } from './commit.ts';
import { snapshot, snapshotFirst } from './snapshot.ts';
import { type Shell } from './shell.ts';
import { RepositoryView } from './view.ts';

const LIST_BYTES = 2_000_000;
const OPTIONS = [
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '-M',
  '--submodule=short',
  '--ignore-submodules=dirty',
];

/** The changes since `fromSha`, including uncommitted and untracked files. */
export async function workingTreeDiff(
  shell: Shell,
  folder: string,
  fromSha: string | null,
  leftovers: readonly Leftover[] = [],
): Promise<Diff> {
  return (await workingTree(shell, folder, fromSha, leftovers)).diff;
}

/** The same, with the tree that was compared. */
export function workingTree(
  shell: Shell,
  folder: string,
  fromSha: string | null,
  leftovers: readonly Leftover[],
): Promise<{ diff: Diff; treeSha: string }> {
  const options = { leftovers };
  const diff = async (view: RepositoryView) => {
    const { treeSha } = await snapshot(view, options);
    return { diff: await diffTrees(view, fromSha, treeSha, null), treeSha };
  };
  return RepositoryView.use(shell, folder, diff, snapshotFirst(options));
}

/** All files of the working tree that are not ignored, and the commit's, as trees. */
export function treesOf(
  shell: Shell,
  folder: string,
  leftovers: readonly Leftover[] = [],
): Promise<{ treeSha: string; headTree: string }> {
  const options = { leftovers };
  const take = async (view: RepositoryView) => {
    const { treeSha } = await snapshot(view, options);
    return { treeSha, headTree: view.found.headTree ?? EMPTY_TREE };
  };
  return RepositoryView.use(shell, folder, take, snapshotFirst(options));
}

/** The changes of one or more commits, such as those of a turn. */
export function commitDiff(
  shell: Shell,
  folder: string,
  fromSha: string | null,
  toSha: string,
): Promise<Diff> {
  return RepositoryView.use(shell, folder, (view) => diffTrees(view, fromSha, toSha, toSha));
}

async function diffTrees(
  view: RepositoryView,
  fromSha: string | null,
  to: string,
  toSha: string | null,
): Promise<Diff> {
  const ends = [fromSha ?? EMPTY_TREE, to, '--'];
  const list = await view.bounded(
    ['diff', ...OPTIONS, '--raw', '--numstat', '-z', ...ends],
    LIST_BYTES,
  );
  const all = parseChangedFiles(list.text);
  const files = all.slice(0, DIFF_LIMITS.files);
  const patches = await view.bounded(
    ['diff', ...OPTIONS, '-p', '--full-index', ...ends],
    DIFF_LIMITS.totalBytes,
  );
  const texts = splitPatches(patches.text);
  // The last patch is truncated.
  if (patches.isCut) texts.pop();
  const truncated = list.isCut || all.length > files.length;
  const paired = pair(files, texts).map(([file, patch]) => fileDiff(file, patch));
  return diffOf({ source: 'sandbox', fromSha, toSha, truncated }, paired);
}

/** Patches come in the order of the list; a file that became a link, or the reverse, has two. */
function pair(
  files: readonly ChangedFile[],
  patches: readonly string[],
): [ChangedFile, string | undefined][] {
  let next = 0;
  return files.map((file) => {
    const count = file.status === 'type-changed' ? 2 : 1;
    const own = patches.slice(next, next + count);
    next += count;
    return [file, own.length < count ? undefined : own.join('\n')];
  });
}
