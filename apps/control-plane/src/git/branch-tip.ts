import { byProducts, commitMessage } from '@ship/core';
import type { GitState, SkippedFile, TurnId } from '@ship/protocol';
import type { CommandOutcome } from '../sandbox/port.ts';
import type { GitDeps } from './deps.ts';
import { commitTree, commitArgs, EMPTY_TREE, identities, COMMIT_LOG } from './work/commit.ts';
import { checkOut, mergeIn } from './work/integrate.ts';
import { leaseOf, PUSH, PUSH_TIMEOUT_MS } from './work/push.ts';
import { snapshot, withoutFiles } from './work/snapshot.ts';
import type { RepositoryView } from './work/view.ts';

export interface TurnFacts {
  turnId: TurnId | null;
  /** The agent's own summary; the commit is named after it. */
  summary: string | null;
  /** Tests that failed before the work and pass now. */
  fixedTests?: number;
  /** Tests of the work pass with it and fail on the base without it. */
  isProven?: boolean;
}

export type Conflict = NonNullable<GitState['conflict']>;

export type Tip =
  | {
      kind: 'tip';
      sha: string | undefined;
      skippedBy: Map<string, SkippedFile[]>;
      /** Files that were left out of a turn that changed nothing else. */
      leftOut?: SkippedFile[];
      /** Only when the commit was pushed in the call that made it. */
      early?: EarlyPush;
    }
  | { kind: 'conflict'; conflict: Conflict };

export interface EarlyPush {
  pushed: CommandOutcome;
  /** The log since the last known commit. */
  log: string;
}

/** How the working tree is read for a commit. */
export const commitOptions = ({ leftovers = [], baseSha }: GitState) => ({
  leftovers,
  isReset: true,
  styleBase: baseSha,
});

const UNMERGED = `set -o pipefail
git ls-files -u -z | sed -z 's/^[^\\t]*\\t//' | sort -zu | head -c 100000 | xargs -0 -r grep -lZE -e '^(<<<<<<<|>>>>>>>) ' -- /dev/null`;

/**
 * Commits what the turn changed and puts it on the session's branch, wherever the agent left its HEAD. Where HEAD is on the
 * branch, as nearly always, the commit can be pushed in the same call.
 */
export async function commitTurn(
  view: RepositoryView,
  deps: GitDeps,
  branch: string,
  turn: TurnFacts,
  { isPushed = false }: { isPushed?: boolean } = {},
): Promise<Tip> {
  const { head, headTree, mergeHeads } = view.found;
  const [merging] = mergeHeads;
  if (merging !== undefined) {
    const files = await unresolved(view);
    if (files.length > 0) {
      const known = deps.git.conflict ?? { with: 'branch', ref: 'MERGE_HEAD' };
      return { kind: 'conflict', conflict: { ...known, sha: merging, files } };
    }
  }
  const taken = await snapshot(view, commitOptions(deps.git));
  // A merge brings lock files of others: those are not by-products.
  const leftOut = merging === undefined ? byProducts(taken.changes, turn.summary) : [];
  const { treeSha, skipped, changes, style } = await withoutFiles(view, taken, leftOut);
  const skippedBy = new Map<string, SkippedFile[]>();
  if (treeSha === (headTree ?? EMPTY_TREE) && merging === undefined) {
    const tip = await attach(view, deps, branch, head, skippedBy);
    return tip.kind === 'tip' ? { ...tip, leftOut: skipped } : tip;
  }
  const message = commitMessage({
    ...turn,
    sessionId: deps.session.sessionId,
    files: head === undefined ? [] : changes,
    style,
    merged:
      merging === undefined ? null : { from: deps.git.conflict?.ref ?? merging, into: branch },
    agent: deps.people.agent,
  });
  const parents = [...(head === undefined ? [] : [head]), ...mergeHeads];
  if (view.found.headRef === `refs/heads/${branch}`) {
    const argv = commitArgs(treeSha, parents, message);
    const env = identities(deps.people);
    if (!isPushed) {
      const sha = await view.commit(branch, argv, env);
      return { kind: 'tip', sha, skippedBy: skippedBy.set(sha, skipped) };
    }
    const { sha, ...early } = await view.commitAndPush({
      branch,
      argv,
      env,
      push: PUSH,
      remote: await deps.remoteFor(branch),
      lease: leaseOf(`refs/heads/${branch}`, deps.git.pushedSha),
      log: COMMIT_LOG,
      known: deps.git.headSha ?? deps.git.baseSha,
      timeoutMs: PUSH_TIMEOUT_MS,
    });
    return { kind: 'tip', sha, skippedBy: skippedBy.set(sha, skipped), early };
  }
  const tip = await commitTree(view, treeSha, parents, message, deps.people);
  skippedBy.set(tip, skipped);
  return attach(view, deps, branch, tip, skippedBy);
}

/**
 * Continues the branch from where it was: work that the agent did on another branch, or on a detached HEAD, is merged into it.
 */
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
      message: `Merge work of another branch into ${branch}\n\nShip-Session: ${deps.session.sessionId}`,
      people: deps.people,
      remote: await deps.remoteFor(branch),
    });
    if (merged.kind === 'conflict') {
      const { kind, ...facts } = merged;
      return { kind, conflict: { with: 'branch', ref, sha: before, ...facts } };
    }
    sha = merged.sha;
    await checkOut(view, tip, sha);
  }
  await view.adopt(branch, sha);
  return { kind: 'tip', sha, skippedBy };
}

/** Files of an unfinished merge that still have conflict markers: committing them would deliver the markers. */
async function unresolved(view: RepositoryView): Promise<string[]> {
  const { stdout } = await view.script(UNMERGED, []);
  return stdout
    .split('\0')
    .filter((path) => path !== '')
    .slice(0, 100);
}
