import { commitMessage } from '@ship/core';
import type { GitState, SkippedFile, TurnId } from '@ship/protocol';
import type { GitDeps } from './deps.ts';
import { commitTree, commitWords, EMPTY_TREE, identities } from './work/commit.ts';
import { checkOut, mergeIn } from './work/integrate.ts';
import { snapshot } from './work/snapshot.ts';
import type { RepositoryView } from './work/view.ts';

export interface TurnFacts {
  turnId: TurnId | null;
  prompt: string;
  summary: string | null;
}

export type Conflict = NonNullable<GitState['conflict']>;

export type Tip =
  | { kind: 'tip'; sha: string | undefined; skippedBy: Map<string, SkippedFile[]> }
  | { kind: 'conflict'; conflict: Conflict };

const UNMERGED = `set -o pipefail
git ls-files -u -z | sed -z 's/^[^\\t]*\\t//' | sort -zu | head -c 100000 | xargs -0 -r grep -lZE -e '^(<<<<<<<|>>>>>>>) ' -- /dev/null`;

/** Commits what the turn changed and makes the session's branch have it, wherever the agent left its HEAD. */
export async function commitTurn(
  view: RepositoryView,
  deps: GitDeps,
  branch: string,
  turn: TurnFacts,
): Promise<Tip> {
  const { head, headTree, mergeHeads } = view.found;
  const [merging] = mergeHeads;
  if (merging !== undefined) {
    const files = await unresolved(view);
    if (files.length > 0) {
      const { with: side, ref } = deps.git.conflict ?? { with: 'branch', ref: 'MERGE_HEAD' };
      return { kind: 'conflict', conflict: { with: side, ref, sha: merging, files } };
    }
  }
  const { treeSha, skipped, changes } = await snapshot(view);
  const skippedBy = new Map<string, SkippedFile[]>();
  if (treeSha === (headTree ?? EMPTY_TREE) && merging === undefined)
    return attach(view, deps, branch, head, skippedBy);
  const message = commitMessage({
    ...turn,
    sessionId: deps.session.sessionId,
    files: head === undefined ? [] : changes,
    agent: deps.people.agent,
  });
  const parents = [...(head === undefined ? [] : [head]), ...mergeHeads];
  if (view.found.headRef === `refs/heads/${branch}`) {
    const words = commitWords(treeSha, parents, message);
    const sha = await view.commit(branch, words, identities(deps.people));
    return { kind: 'tip', sha, skippedBy: skippedBy.set(sha, skipped) };
  }
  const tip = await commitTree(view, treeSha, parents, message, deps.people);
  skippedBy.set(tip, skipped);
  return attach(view, deps, branch, tip, skippedBy);
}

/** The branch goes on from where it was: what the agent did on another branch, or on none, is brought onto it. */
async function attach(
  view: RepositoryView,
  deps: GitDeps,
  branch: string,
  tip: string | undefined,
  skippedBy: Map<string, SkippedFile[]>,
): Promise<Tip> {
  const ref = `refs/heads/${branch}`;
  if (tip === undefined) return { kind: 'tip', sha: undefined, skippedBy };
  if (view.found.headRef === ref) {
    if (tip !== view.found.head || view.found.mergeHeads.length > 0) await view.adopt(branch, tip);
    return { kind: 'tip', sha: tip, skippedBy };
  }
  const before = await view.resolve(ref);
  let sha = tip;
  if (before !== undefined && !(await view.isAncestor(before, tip))) {
    const merged = await mergeIn(view, {
      ours: before,
      theirs: tip,
      message: `chore: bring work from another branch onto ${branch}\n\nShip-Session: ${deps.session.sessionId}`,
      people: deps.people,
      remote: await deps.remoteFor(branch),
    });
    if (merged.kind === 'conflict')
      return {
        kind: 'conflict',
        conflict: { with: 'branch', ref, sha: before, files: merged.files },
      };
    sha = merged.sha;
    await checkOut(view, tip, sha);
  }
  await view.adopt(branch, sha);
  return { kind: 'tip', sha, skippedBy };
}

/** Files of an unfinished merge that still have its marks: committing them would deliver the marks. */
async function unresolved(view: RepositoryView): Promise<string[]> {
  const { stdout } = await view.script(UNMERGED, []);
  return stdout
    .split('\0')
    .filter((path) => path !== '')
    .slice(0, 100);
}
