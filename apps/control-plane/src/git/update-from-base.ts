import { sessionEvent } from '@ship/core';
import { fail, ShipFailure } from '@ship/protocol';
import { commitTurn, type Conflict, type TurnFacts } from './branch-tip.ts';
import { type Delivery, foldedWith } from './deliver.ts';
import type { GitDeps } from './deps.ts';
import { publish } from './publish.ts';
import { newCommits } from './work/commit.ts';
import { fetchRef } from './work/history.ts';
import { checkOut, mergeIn } from './work/integrate.ts';
import { RepositoryView } from './work/view.ts';

/** Merges the base's newer commits into the branch and pushes; the diff is then relative to the newer base. */
export async function updateFromBase(deps: GitDeps, turn: TurnFacts): Promise<Delivery> {
  const { git, forge } = deps;
  const { branch, base } = git;
  const delivery: Delivery = { events: [], tip: null, conflict: null, problem: null };
  if (branch === null || base === null) return delivery;
  const { events } = delivery;
  try {
    const baseSha = await forge.refSha(`heads/${base}`);
    if (baseSha === null)
      fail('base-missing', `The branch ${base} is gone.`, 'Choose another base for this session.');
    await RepositoryView.use(deps.shell, deps.folder, async (view) => {
      const tip = await commitTurn(view, deps, branch, turn);
      if (tip.kind === 'conflict') {
        delivery.conflict = tip.conflict;
        return;
      }
      if (tip.sha === undefined) return;
      const known = git.headSha ?? git.baseSha;
      let sha = tip.sha;
      if (await view.isAncestor(baseSha, sha)) {
        // An earlier call may have merged it without reaching the forge.
        if (sha === (git.pushedSha ?? git.baseSha)) return;
        events.push(...(await newCommits(view, known, sha, tip.skippedBy)));
      } else {
        const merged = await mergeBase(view, deps, { branch, base, sha });
        if (merged.kind === 'conflict') {
          delivery.conflict = merged.conflict;
          events.push(sessionEvent('git.conflicted', merged.conflict));
          return;
        }
        const { theirs } = merged;
        sha = merged.sha;
        // A branch without commits just moves on.
        if (tip.sha !== git.baseSha)
          events.push(...(await newCommits(view, known, sha, tip.skippedBy)));
        events.push(sessionEvent('base.merged', { baseSha: theirs, sha }));
        if (tip.sha === git.baseSha && git.pushedSha === null) return;
      }
      const after = { ...deps, git: foldedWith(git, events) };
      const published = await publish(view, after, branch, sha);
      if (published.kind === 'conflict') delivery.conflict = published.conflict;
      if (published.kind === 'pushed')
        events.push(sessionEvent('branch.pushed', { branch, sha: published.sha }));
    });
  } catch (error) {
    if (!(error instanceof ShipFailure)) throw error;
    delivery.problem = error.error;
  }
  return delivery;
}

type BaseMerge =
  | { kind: 'merged'; sha: string; theirs: string }
  | { kind: 'conflict'; conflict: Conflict };

/** Merges the base's current commit at the forge into `sha`, in the working tree too. */
export async function mergeBase(
  view: RepositoryView,
  deps: Pick<GitDeps, 'remoteFor' | 'session' | 'people'>,
  { branch, base, sha }: { branch: string; base: string; sha: string },
): Promise<BaseMerge> {
  const remote = await deps.remoteFor(branch);
  const ref = `origin/${base}`;
  await fetchRef(view, remote, `refs/heads/${base}`, `refs/remotes/${ref}`);
  const theirs = await view.text(['rev-parse', `refs/remotes/${ref}`]);
  const merged = await mergeIn(view, {
    ours: sha,
    theirs,
    message: `Merge branch '${base}' into ${branch}\n\nShip-Session: ${deps.session.sessionId}`,
    people: deps.people,
    remote,
  });
  if (merged.kind === 'conflict') {
    const { kind, ...facts } = merged;
    return { kind, conflict: { with: 'base', ref, sha: theirs, ...facts } };
  }
  await checkOut(view, sha, merged.sha);
  await view.adopt(branch, merged.sha);
  return { kind: 'merged', sha: merged.sha, theirs };
}
