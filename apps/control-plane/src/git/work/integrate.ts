import { MAX_LISTED_FILES } from '@ship/protocol';
import { commitTree, type People } from './commit.ts';
import { completeHistory } from './history.ts';
import { failed } from './shell.ts';
import { FOLLOW_SUBMODULES } from './submodule-scripts.ts';
import type { RepositoryView } from './view.ts';

export type Integration =
  | { kind: 'merged'; sha: string }
  /** Nothing has changed: the agent merges `theirs` itself and decides. */
  | ({ kind: 'conflict' } & MergeConflict);

/** `unrelated` is absent where the two have a common commit. */
interface MergeConflict {
  files: string[];
  unrelated?: true;
}

export interface MergeOptions {
  ours: string;
  theirs: string;
  message: string;
  people: Pick<People, 'author' | 'committer'>;
  /** Where missing history comes from. */
  remote: string;
}

/**
 * Merges `theirs` into `ours` on objects alone: the working tree is not touched until the result is known. A merge instead of a
 * rebase: pushed commits stay, so existing clones keep working.
 */
export async function mergeIn(view: RepositoryView, options: MergeOptions): Promise<Integration> {
  const { ours, theirs, message, people, remote } = options;
  if (await view.isAncestor(theirs, ours)) return { kind: 'merged', sha: ours };
  if (await view.isAncestor(ours, theirs)) return { kind: 'merged', sha: theirs };
  await completeHistory(view, remote, ours, theirs);
  const outcome = await view.git([
    'merge-tree',
    '--write-tree',
    '--allow-unrelated-histories',
    '--no-messages',
    '--name-only',
    '-z',
    ours,
    theirs,
  ]);
  const [treeSha = '', ...rest] = outcome.stdout.split('\0');
  if (outcome.exitCode === 1) {
    const files = [...new Set(rest.filter((path) => path !== ''))].slice(0, MAX_LISTED_FILES);
    const { exitCode } = await view.git(['merge-base', ours, theirs]);
    return { kind: 'conflict', files, ...(exitCode !== 0 && { unrelated: true }) };
  }
  if (outcome.exitCode !== 0) failed('merge', outcome);
  return {
    kind: 'merged',
    sha: await commitTree(view, treeSha.trim(), [ours, theirs], message, people),
  };
}

/** Moves the working tree from one commit to another; its changes must have been committed before. */
export async function checkOut(
  view: RepositoryView,
  from: string | undefined,
  to: string,
): Promise<void> {
  if (from === to) return;
  await view.text(['read-tree', '-m', '-u', ...(from === undefined ? [] : [from]), to]);
  if (from !== undefined) await view.script(FOLLOW_SUBMODULES, [from, to]);
}
