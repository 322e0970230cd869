import { limits } from '../limits.ts';
import { attachPatches, type ChangedFile, parseSummary } from './diff-parse.ts';
import type { RepositoryPaths } from './environment.ts';
import { gitObjects, text } from './run.ts';

/** Git knows the empty tree even when no object for it exists. */
export const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

const common = [
  '-r',
  '-M',
  '-l1000',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--full-index',
];

/** Changed files with line counts and without patches: the output stays small for large changes. */
export async function diffSummary(
  paths: RepositoryPaths,
  from: string,
  to: string,
): Promise<ChangedFile[]> {
  const argv = ['diff-tree', ...common, '--raw', '--numstat', '-z', from, to];
  return parseSummary(text(await gitObjects(paths, argv)));
}

export async function diffFiles(
  paths: RepositoryPaths,
  from: string,
  to: string,
): Promise<ChangedFile[]> {
  const [files, patch] = await Promise.all([
    diffSummary(paths, from, to),
    gitObjects(paths, ['diff-tree', ...common, '-p', from, to], { maxBytes: limits.diffBytes }),
  ]);
  attachPatches(files, text(patch), patch.truncated);
  return files;
}

/** For the media type `diff`. */
export async function diffText(paths: RepositoryPaths, from: string, to: string): Promise<string> {
  const argv = ['diff-tree', ...common, '-p', from, to];
  return text(await gitObjects(paths, argv, { maxBytes: limits.diffBytes }));
}

/** For the media type `patch`: the commits in mail format. */
export async function patchText(paths: RepositoryPaths, from: string, to: string): Promise<string> {
  const argv = ['format-patch', '--stdout', '--no-ext-diff', '--no-textconv', `${from}..${to}`];
  return text(await gitObjects(paths, argv, { maxBytes: limits.diffBytes }));
}

export interface Totals {
  additions: number;
  deletions: number;
  files: number;
}

export function totals(files: readonly ChangedFile[]): Totals {
  let additions = 0;
  let deletions = 0;
  for (const file of files) {
    additions += file.additions;
    deletions += file.deletions;
  }
  return { additions, deletions, files: files.length };
}
