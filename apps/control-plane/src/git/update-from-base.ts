import { sessionEvent } from '@ship/core';
import { fail, ShipFailure } from '@ship/protocol';
import { commitTurn, type TurnFacts } from './branch-tip.ts';
import { type Delivery, foldedWith } from './deliver.ts';
import type { GitDeps } from './deps.ts';
import { publish } from './publish.ts';
import { newCommits } from './work/commit.ts';
import { fetchRef } from './work/history.ts';
import { checkOut, mergeIn } from './work/integrate.ts';
import { RepositoryView } from './work/view.ts';

/** Merges the base's newer commits into the branch and pushes; the diff is then compared with the newer base. */
export async function updateFromBase(deps: GitDeps, turn: TurnFacts): Promise<Delivery> {
  const { git, forge, session, people } = deps;
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
        // An earlier call may have merged it and not got as far as the forge.
        if (sha === (git.pushedSha ?? git.baseSha)) return;
        events.push(...(await newCommits(view, known, sha, tip.skippedBy)));
      } else {
        const remote = await deps.remoteFor(branch);
        await fetchRef(view, remote, `refs/heads/${base}`, `refs/remotes/origin/${base}`);
        const theirs = await view.text(['rev-parse', `refs/remotes/origin/${base}`]);
        const merged = await mergeIn(view, {
          ours: sha,
          theirs,
          message: `Merge branch '${base}' into ${branch}\n\nShip-Session: ${session.sessionId}`,
          people,
          remote,
        });
        if (merged.kind === 'conflict') {
          const conflict = {
            with: 'base' as const,
            ref: `origin/${base}`,
            sha: theirs,
            files: merged.files,
          };
          delivery.conflict = conflict;
          events.push(sessionEvent('git.conflicted', conflict));
          return;
        }
        await checkOut(view, sha, merged.sha);
        sha = merged.sha;
        await view.adopt(branch, sha);
        // A branch without work of its own just moves on.
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
