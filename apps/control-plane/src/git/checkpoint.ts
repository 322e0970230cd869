import { sessionEvent } from '@ship/core';
import type { SessionEvent } from '@ship/protocol';
import { checkpointRef, type GitDeps } from './deps.ts';
import { commitTree, EMPTY_TREE } from './work/commit.ts';
import { ANYTHING, pushCommit } from './work/push.ts';
import { snapshot, snapshotFirst } from './work/snapshot.ts';
import { RepositoryView } from './work/view.ts';

/**
 * Saves the working tree, including uncommitted and untracked files, to a ref of the session. Touches neither the branch nor
 * the agent's index, so it is safe while the agent works.
 */
export function saveCheckpoint(deps: GitDeps): Promise<SessionEvent[]> {
  const { shell, folder, git, session, people } = deps;
  const { branch } = git;
  if (branch === null) return Promise.resolve([]);
  const options = { isTolerant: true };
  const save = async (view: RepositoryView) => {
    const { head, headTree } = view.found;
    const { treeSha, skipped } = await snapshot(view, options);
    const headSha = head ?? null;
    const last = git.checkpoint;
    if (last !== null && last.treeSha === treeSha && last.headSha === headSha) return [];
    // The branch at the forge, or its base, already has everything.
    const isCommitted = head === undefined ? treeSha === EMPTY_TREE : treeSha === headTree;
    if (last === null && isCommitted && (head === git.pushedSha || headSha === git.baseSha))
      return [];
    const message = `checkpoint of ${session.sessionId}\n\nShip-Branch: ${branch}`;
    const parents = head === undefined ? [] : [head];
    const { committer } = people;
    const sha = await commitTree(view, treeSha, parents, message, { author: committer, committer });
    const remote = await deps.remoteFor(branch);
    await pushCommit(view, remote, sha, checkpointRef(session.sessionId), ANYTHING);
    return [sessionEvent('checkpoint.saved', { sha, treeSha, headSha, skipped })];
  };
  return RepositoryView.use(shell, folder, save, snapshotFirst(options));
}
