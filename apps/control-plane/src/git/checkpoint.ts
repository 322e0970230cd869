import { sessionEvent } from '@ship/core';
import type { SessionEvent } from '@ship/protocol';
import { checkpointRef, type GitDeps } from './deps.ts';
import { commitTree } from './work/commit.ts';
import { pushCommit } from './work/push.ts';
import { snapshot } from './work/snapshot.ts';
import { RepositoryView } from './work/view.ts';

/**
 * Saves the working tree, uncommitted and untracked files too, on a ref of the session's own. Neither the branch nor the
 * agent's index is touched, so it may be done while the agent works.
 */
export function saveCheckpoint(deps: GitDeps): Promise<SessionEvent[]> {
  const { shell, folder, git, session, people } = deps;
  const { branch } = git;
  if (branch === null) return Promise.resolve([]);
  return RepositoryView.use(shell, folder, async (view) => {
    const head = await view.resolve('HEAD');
    const { treeSha, skipped } = await snapshot(view, head, { isTolerant: true });
    const headSha = head ?? null;
    const last = git.checkpoint;
    if (last !== null && last.treeSha === treeSha && last.headSha === headSha) return [];
    const isSaved = head === git.pushedSha || head === git.baseSha;
    if (last === null && isSaved && head !== undefined) {
      if ((await view.text(['rev-parse', `${head}^{tree}`])) === treeSha) return [];
    }
    const message = `checkpoint of ${session.sessionId}\n\nShip-Branch: ${branch}`;
    const parents = head === undefined ? [] : [head];
    const { committer } = people;
    const sha = await commitTree(view, treeSha, parents, message, { author: committer, committer });
    const remote = await deps.remoteFor(branch);
    await pushCommit(view, remote, sha, checkpointRef(session.sessionId), 'whatever');
    return [sessionEvent('checkpoint.saved', { sha, treeSha, headSha, skipped })];
  });
}
