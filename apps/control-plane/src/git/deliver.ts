import { evolveGit, type PullRequestFacts, sessionEvent } from '@ship/core';
import { type GitState, type SessionEvent, type ShipError, ShipFailure } from '@ship/protocol';
import { commitTurn, type Conflict, type TurnFacts } from './branch-tip.ts';
import type { GitDeps } from './deps.ts';
import { publish } from './publish.ts';
import { keepPullRequest } from './pull-request.ts';
import { pointOrigin } from './work/clone.ts';
import { newCommits } from './work/commit.ts';
import { RepositoryView } from './work/view.ts';

export interface DeliveryFacts extends TurnFacts {
  /** Written when the commits are known. */
  pullRequest: (git: GitState) => PullRequestFacts;
}

export interface Delivery {
  /** To be stored, whatever the outcome. */
  events: SessionEvent[];
  /** For the agent: bring the two together. Nothing was pushed. */
  conflict: Conflict | null;
  /** What stopped the delivery half-way; call again when it is due. */
  problem: ShipError | null;
}

/** Commits what a turn changed, pushes it and keeps the pull request: everything that is still missing of it. */
export async function deliverTurn(deps: GitDeps, facts: DeliveryFacts): Promise<Delivery> {
  const { branch } = deps.git;
  const delivery: Delivery = { events: [], conflict: null, problem: null };
  if (branch === null) return delivery;
  const record = (events: SessionEvent[]) => delivery.events.push(...events);
  try {
    await RepositoryView.use(deps.shell, deps.folder, (view) =>
      commitAndPush(view, deps, branch, facts, delivery),
    );
    const git = foldedWith(deps.git, delivery.events);
    const isShown = git.pushedSha !== null && git.pushedSha !== git.baseSha;
    if (delivery.conflict === null && isShown)
      record(await keepPullRequest({ forge: deps.forge, git }, facts.pullRequest(git)));
    await pointOrigin(deps.shell, deps.folder, await deps.remoteFor(branch), branch);
  } catch (error) {
    if (!(error instanceof ShipFailure)) throw error;
    delivery.problem = error.error;
  }
  return delivery;
}

async function commitAndPush(
  view: RepositoryView,
  deps: GitDeps,
  branch: string,
  facts: TurnFacts,
  delivery: Delivery,
): Promise<void> {
  const { events } = delivery;
  const { git } = deps;
  const conflicted = (conflict: Conflict) => {
    delivery.conflict = conflict;
    const isKnown = git.conflict?.sha === conflict.sha;
    if (!isKnown) events.push(sessionEvent('git.conflicted', conflict));
  };
  const tip = await commitTurn(view, deps, branch, facts);
  if (tip.kind === 'conflict') return conflicted(tip.conflict);
  if (tip.sha === undefined) return;
  const known = git.headSha ?? git.baseSha;
  const tell = async (sha: string, from: string | null) =>
    events.push(...(await newCommits(view, from, sha, tip.skippedBy)));
  if (tip.sha !== known) await tell(tip.sha, known);
  // Nothing of the session's own yet: an empty branch at the forge helps nobody.
  if (tip.sha === git.baseSha && git.pushedSha === null) return;
  const published = await publish(view, deps, branch, tip.sha);
  if (published.kind === 'conflict') return conflicted(published.conflict);
  if (published.kind === 'pushed') {
    if (published.sha !== tip.sha) await tell(published.sha, tip.sha);
    events.push(sessionEvent('branch.pushed', { branch, sha: published.sha }));
  }
  await settle(view, git.conflict, tip.sha, events);
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
