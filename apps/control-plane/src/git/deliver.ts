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
import { keepPullRequest } from './pull-request.ts';
import { newCommits, toldCommits } from './work/commit.ts';
import { snapshotFirst } from './work/snapshot.ts';
import { RepositoryView } from './work/view.ts';

export interface DeliveryFacts extends TurnFacts {
  /** Written when the commits are known; `tip` has the files as the agent left them. */
  pullRequest: (git: GitState, tip: string | null) => PullRequestFacts;
}

export interface Delivery {
  /** To be stored, whatever the outcome. */
  events: SessionEvent[];
  /** The commit that has the working tree as it was found, before anything of others was merged into it. */
  tip: string | null;
  /** For the agent: bring the two together. Nothing was pushed. */
  conflict: Conflict | null;
  /** What stopped the delivery half-way; call again when it is due. */
  problem: ShipError | null;
}

/** Commits what a turn changed, pushes it and keeps the pull request: everything that is still missing of it. */
export async function deliverTurn(deps: GitDeps, facts: DeliveryFacts): Promise<Delivery> {
  const { branch } = deps.git;
  const delivery: Delivery = { events: [], tip: null, conflict: null, problem: null };
  if (branch === null) return delivery;
  try {
    const first = snapshotFirst(commitOptions(deps.git));
    const view = await RepositoryView.open(deps.shell, deps.folder, first);
    let look: Look;
    try {
      look = await commitAndPush(view, deps, branch, facts, delivery);
    } catch (error) {
      await view.close();
      throw error;
    }
    // What the agent's git needs for the next turn is set while people get to see this one.
    const [kept, closed] = await Promise.allSettled([
      keep(deps, look, facts, delivery),
      view.close({ remote: await deps.remoteFor(branch), branch }),
    ]);
    for (const one of [kept, closed]) if (one.status === 'rejected') throw one.reason;
    delivery.events.push(...movedEvents(deps));
  } catch (error) {
    if (!(error instanceof ShipFailure)) throw error;
    delivery.problem = error.error;
  }
  return delivery;
}

async function keep(deps: GitDeps, look: Look, facts: DeliveryFacts, delivery: Delivery) {
  const git = foldedWith(deps.git, delivery.events);
  const isShown = git.pushedSha !== null && git.pushedSha !== git.baseSha;
  if (delivery.conflict !== null || !isShown) return;
  const { forge } = deps;
  delivery.events.push(
    ...(await keepPullRequest(
      { forge, git, look: look?.pullRequest },
      { ...facts.pullRequest(git, delivery.tip), skipped: git.skipped },
    )),
  );
}

/** The branch's pull request, asked for while its commits were on their way, if it had to be looked for. */
type Look = { pullRequest: Promise<PullRequest | null> | undefined } | undefined;

async function commitAndPush(
  view: RepositoryView,
  deps: GitDeps,
  branch: string,
  facts: TurnFacts,
  delivery: Delivery,
): Promise<Look> {
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
  // Said once, not after every turn in which they are still there.
  if (leftOut.length > 0 && JSON.stringify(leftOut) !== JSON.stringify(git.skipped))
    events.push(sessionEvent('files.skipped', { turnId: facts.turnId, files: leftOut }));
  if (tip.sha === undefined) return undefined;
  delivery.tip = tip.sha;
  const known = git.headSha ?? git.baseSha;
  const { turnId } = facts;
  const told = (sha: string, from: string | null, by: typeof turnId) =>
    newCommits(view, from, sha, tip.skippedBy, by);
  const { early } = tip;
  const news =
    early !== undefined
      ? Promise.resolve(toldCommits(early.told, tip.skippedBy, turnId))
      : tip.sha === known
        ? Promise.resolve([])
        : told(tip.sha, known, turnId);
  // Nothing of the session's own yet: an empty branch at the forge helps nobody.
  if (tip.sha === git.baseSha && git.pushedSha === null) {
    events.push(...(await news));
    return undefined;
  }
  let ours = tip.sha;
  if (isUnborn && git.base !== null) {
    events.push(...(await news));
    const begun = await createBase(view, deps, { branch, base: git.base, tip: ours });
    if (begun.kind === 'conflict') return conflicted(begun.conflict);
    if (begun.tip !== ours) events.push(...(await told(begun.tip, ours, null)));
    events.push(...begun.events);
    ours = begun.tip;
  }
  const pullRequest = lookFor(deps, branch, early);
  const publishing = publish(view, deps, branch, ours, early?.pushed);
  const [said, pushed] = await Promise.allSettled([isUnborn ? [] : news, publishing]);
  if (said.status === 'rejected') throw said.reason;
  events.push(...said.value);
  if (pushed.status === 'rejected') throw pushed.reason;
  const published = pushed.value;
  if (published.kind === 'conflict') return conflicted(published.conflict);
  if (published.kind === 'pushed') {
    if (published.sha !== ours) events.push(...(await told(published.sha, ours, null)));
    events.push(sessionEvent('branch.pushed', { branch, sha: published.sha }));
  }
  await settle(view, git.conflict, ours, events);
  return { pullRequest };
}

/** Where it is known that there is one, or none, nobody needs to look for it. */
function lookFor({ git, forge }: GitDeps, branch: string, early: EarlyPush | undefined) {
  // A branch that our push made has none: the forge would have closed it with the branch.
  if (git.pushedSha === null && early?.pushed.exitCode === 0) return Promise.resolve(null);
  if (git.pullRequest?.state === 'open') return undefined;
  const found = forge.findPullRequest(branch);
  // When the push fails nobody asks for it any more.
  found.catch(() => undefined);
  return found;
}

/** A conflict is over when the branch has what it could not be brought together with. */
async function settle(
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
