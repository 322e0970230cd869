import { sessionEvent } from '@ship/core';
import { sandboxShell, treesOf } from '../../git/index.ts';
import { REPOSITORY_FOLDER } from './git-work.ts';
import type { Bench, WorkLog } from './parts.ts';

type Log = Pick<WorkLog, 'record'>;

/** The files as they are, except those recorded as left behind. */
function currentTrees({ port, sandboxId, state }: Bench) {
  return treesOf(sandboxShell(port, sandboxId), REPOSITORY_FOLDER, state().git.leftovers);
}

/** Null in a new clone, which has no work of the agent yet, and where the setup has already run. */
export async function treeBeforeSetup(place: Bench, isSetUp: boolean): Promise<string | null> {
  const { checkpoint, headSha } = place.state().git;
  if (isSetUp || (checkpoint === null && headSha === null)) return null;
  return (await currentTrees(place)).treeSha;
}

/**
 * Records the tree after a setup: the difference to the tree before is the setup's and not the agent's. In a new clone, the
 * tree before is the commit's own.
 */
export async function rememberSetup(
  place: Bench,
  store: Log,
  treeBefore: string | null,
): Promise<void> {
  const { treeSha, headTree } = await currentTrees(place);
  record(store, 'setup', treeBefore ?? headTree, treeSha);
}

/** The same for a run of the tests in the working folder. */
export async function rememberTests(place: Bench, store: Log, treeBefore: string): Promise<void> {
  record(store, 'tests', treeBefore, (await currentTrees(place)).treeSha);
}

function record(store: Log, by: 'setup' | 'tests', fromTree: string, toTree: string): void {
  if (fromTree !== toTree)
    store.record([sessionEvent('files.left-behind', { by, fromTree, toTree })]);
}
