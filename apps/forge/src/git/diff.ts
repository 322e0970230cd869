import { limits } from '../limits.ts';
import { attachPatches, type ChangedFile, parseSummary } from './diff-parse.ts';
import type { Place } from './environment.ts';
import { gitObjects, text } from './run.ts';

/** What no object of the repository has to exist for. */
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

/** Changed files with their counts, without patches: two small outputs whatever the size of the change. */
export async function diffSummary(place: Place, from: string, to: string): Promise<ChangedFile[]> {
  const argv = ['diff-tree', ...common, '--raw', '--numstat', '-z', from, to];
  return parseSummary(text(await gitObjects(place, argv)));
}

export async function diffFiles(place: Place, from: string, to: string): Promise<ChangedFile[]> {
  const [files, patch] = await Promise.all([
    diffSummary(place, from, to),
    gitObjects(place, ['diff-tree', ...common, '-p', from, to], { maxBytes: limits.diffBytes }),
  ]);
  attachPatches(files, text(patch), patch.truncated);
  return files;
}

/** The change as text, for those who ask for the media type `diff`. */
export async function diffText(place: Place, from: string, to: string): Promise<string> {
  const argv = ['diff-tree', ...common, '-p', from, to];
  return text(await gitObjects(place, argv, { maxBytes: limits.diffBytes }));
}

/** The commits as mail, for those who ask for the media type `patch`. */
export async function patchText(place: Place, from: string, to: string): Promise<string> {
  const argv = ['format-patch', '--stdout', '--no-ext-diff', '--no-textconv', `${from}..${to}`];
  return text(await gitObjects(place, argv, { maxBytes: limits.diffBytes }));
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
