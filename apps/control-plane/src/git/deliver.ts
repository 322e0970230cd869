import { evolveGit, type PullRequestFacts, sessionEvent } from '@ship/core';
import {
  type GitState,
  type PullRequest,
  type SessionEvent,
  type ShipError,
  ShipFailure,
} from '@ship/protocol';
import { createBase, isBaseUnborn } from './create-base.ts';
import {
  commitOptions,
  commitTurn,
  type Conflict,
  type EarlyPush,
  type TurnFacts,
} from './branch-tip.ts';
import { type GitDeps, movedEvents } from './deps.ts';
import { publish } from './publish.ts';
import { syncPullRequest } from './pull-request.ts';
import { newCommits, parseCommits } from './work/commit.ts';
import { snapshotFirst } from './work/snapshot.ts';
import { RepositoryView } from './work/view.ts';

export interface DeliveryFacts extends TurnFacts {
  /** Rendered when the commits are known; `tip` has the files as the agent left them. */
  pullRequest: (git: GitState, tip: string | null) => PullRequestFacts;
}

export interface Delivery {
  /** To be stored with any outcome. */
  events: SessionEvent[];
  /** The commit of the working tree as it was found, before commits of others were merged into it. */
  tip: string | null;
  /** A conflict for the agent to resolve. Nothing was pushed. */
  conflict: Conflict | null;
  /** The error that stopped the delivery half-way; a later call continues it. */
  problem: ShipError | null;
}

/** Commits what a turn changed, pushes it and updates the pull request. Idempotent: does only what is still missing. */
export async function deliverTurn(deps: GitDeps, facts: DeliveryFacts): Promise<Delivery> {
  const { branch } = deps.git;
  const delivery: Delivery = { events: [], tip: null, conflict: null, problem: null };
  if (branch === null) return delivery;
  try {
    const first = snapshotFirst(commitOptions(deps.git));
    const view = await RepositoryView.open(deps.shell, deps.folder, first);
    let lookup: PullRequestLookup;
    try {
      lookup = await commitAndPush(view, deps, branch, facts, delivery);
    } catch (error) {
      await view.close();
      throw error;
    }
    // Configures the agent's git for the next turn while the pull request is updated.
    const [updated, closed] = await Promise.allSettled([
      updatePullRequest(deps, lookup, facts, delivery),
      view.close({ remote: await deps.remoteFor(branch), branch }),
    ]);
    for (const one of [updated, closed]) if (one.status === 'rejected') throw one.reason;
    delivery.events.push(...movedEvents(deps));
  } catch (error) {
    if (!(error instanceof ShipFailure)) throw error;
    delivery.problem = error.error;
  }
  return delivery;
}

async function updatePullRequest(
  deps: GitDeps,
  lookup: PullRequestLookup,
  facts: DeliveryFacts,
  delivery: Delivery,
) {
  const git = foldedWith(deps.git, delivery.events);
  const isShown = git.pushedSha !== null && git.pushedSha !== git.baseSha;
  if (delivery.conflict !== null || !isShown) return;
  const { forge } = deps;
  delivery.events.push(
    ...(await syncPullRequest(
      { forge, git, lookup: lookup?.pullRequest },
      { ...facts.pullRequest(git, delivery.tip), skipped: git.skipped },
    )),
  );
}

/** The branch's pull request, looked up concurrently with the push if a lookup was needed. */
type PullRequestLookup = { pullRequest: Promise<PullRequest | null> | undefined } | undefined;

async function commitAndPush(
  view: RepositoryView,
  deps: GitDeps,
  branch: string,
  facts: TurnFacts,
  delivery: Delivery,
): Promise<PullRequestLookup> {
  const { events } = delivery;
  const { git } = deps;
  const conflicted = (conflict: Conflict) => {
    delivery.conflict = conflict;
    const isKnown = git.conflict?.sha === conflict.sha;
    if (!isKnown) events.push(sessionEvent('git.conflicted', conflict));
    return undefined;
  };
  const isUnborn = await isBaseUnborn(deps);
  const tip = await commitTurn(view, deps, branch, facts, { isPushed: !isUnborn });
  if (tip.kind === 'conflict') return conflicted(tip.conflict);
  const leftOut = tip.leftOut ?? [];
  // Recorded once, not after every turn in which the files are still there.
  if (leftOut.length > 0 && JSON.stringify(leftOut) !== JSON.stringify(git.skipped))
    events.push(sessionEvent('files.skipped', { turnId: facts.turnId, files: leftOut }));
  if (tip.sha === undefined) return undefined;
  delivery.tip = tip.sha;
  const known = git.headSha ?? git.baseSha;
  const { turnId } = facts;
  const commitsOf = (sha: string, from: string | null, by: typeof turnId) =>
    newCommits(view, from, sha, tip.skippedBy, by);
  const { early } = tip;
  const commits =
    early !== undefined
      ? Promise.resolve(parseCommits(early.log, tip.skippedBy, turnId))
      : tip.sha === known
        ? Promise.resolve([])
        : commitsOf(tip.sha, known, turnId);
  // No work of the session yet: an empty branch at the forge is useless.
  if (tip.sha === git.baseSha && git.pushedSha === null) {
    events.push(...(await commits));
    return undefined;
  }
  let ours = tip.sha;
  if (isUnborn && git.base !== null) {
    events.push(...(await commits));
    const created = await createBase(view, deps, { branch, base: git.base, tip: ours });
    if (created.kind === 'conflict') return conflicted(created.conflict);
    if (created.tip !== ours) events.push(...(await commitsOf(created.tip, ours, null)));
    events.push(...created.events);
    ours = created.tip;
  }
  const pullRequest = lookUpPullRequest(deps, branch, early);
  const publishing = publish(view, deps, branch, ours, early?.pushed);
  const [recorded, pushed] = await Promise.allSettled([isUnborn ? [] : commits, publishing]);
  if (recorded.status === 'rejected') throw recorded.reason;
  events.push(...recorded.value);
  if (pushed.status === 'rejected') throw pushed.reason;
  const published = pushed.value;
  if (published.kind === 'conflict') return conflicted(published.conflict);
  if (published.kind === 'pushed') {
    if (published.sha !== ours) events.push(...(await commitsOf(published.sha, ours, null)));
    events.push(sessionEvent('branch.pushed', { branch, sha: published.sha }));
  }
  await recordResolution(view, git.conflict, ours, events);
  return { pullRequest };
}

/** Skips the lookup where it is known that there is a pull request, or none. */
function lookUpPullRequest({ git, forge }: GitDeps, branch: string, early: EarlyPush | undefined) {
  // A branch that this push created has none: the forge would have closed it with the branch.
  if (git.pushedSha === null && early?.pushed.exitCode === 0) return Promise.resolve(null);
  if (git.pullRequest?.state === 'open') return undefined;
  const found = forge.findPullRequest(branch);
  // When the push fails, the result is not read.
  found.catch(() => undefined);
  return found;
}

/** A conflict is resolved when the branch contains the conflicting commit. */
async function recordResolution(
  view: RepositoryView,
  conflict: Conflict | null,
  tip: string,
  events: SessionEvent[],
): Promise<void> {
  if (conflict === null || !(await view.isAncestor(conflict.sha, tip))) return;
  if (conflict.with === 'base')
    events.push(sessionEvent('base.merged', { baseSha: conflict.sha, sha: tip }));
  events.push(sessionEvent('git.conflict-resolved', { with: conflict.with }));
}

export function foldedWith(git: GitState, events: readonly SessionEvent[]): GitState {
  return events.reduce((state, event) => evolveGit(state, { ...event, seq: 1, at: 0 }), git);
}
