import { type ClonePlan, sessionEvent } from '@ship/core';
import { fail, type SessionEvent } from '@ship/protocol';
import { checkpointRef, type GitDeps } from './deps.ts';
import {
  type CloneSource,
  clone,
  deepenInBackground,
  createFirstCommit,
  partialFolder,
} from './work/clone.ts';
import { fetchRef } from './work/history.ts';
import { checkOut } from './work/integrate.ts';
import { RepositoryView } from './work/view.ts';

type RestoreDeps = Pick<GitDeps, 'shell' | 'folder' | 'forge' | 'session' | 'git'>;

/** Restores the session's work into a new clone, and moves that into its place. */
export async function restoreWork(
  deps: RestoreDeps,
  source: CloneSource,
  plans: readonly ClonePlan[],
  branch: string,
): Promise<SessionEvent[]> {
  const { shell, folder } = deps;
  const { partial, plan } = await cloneBy(deps, source, plans);
  const { first } = source;
  const isUnborn = first !== undefined && deps.git.baseSha === first.commit.sha;
  if (isUnborn) await createFirstCommit(shell, partial, first);
  const own = { branch, remote: source.remote };
  const view = await RepositoryView.open(shell, partial);
  const start = view.found.head ?? (isUnborn ? first.commit.sha : undefined);
  const events = await restore(view, deps, own, start);
  await view.close({ ...own, place: folder });
  if (plan.kind === 'shallow' && source.base !== null) await deepenInBackground(shell, folder);
  return events;
}

/** A damaged mirror costs only time: its objects are then fetched. */
async function cloneBy(
  { shell, folder }: RestoreDeps,
  source: CloneSource,
  plans: readonly ClonePlan[],
): Promise<{ partial: string; plan: ClonePlan }> {
  for (const [i, plan] of plans.entries()) {
    const partial = partialFolder(folder);
    try {
      await clone(shell, { ...source, plan, folder: partial });
      return { partial, plan };
    } catch (error) {
      if (i + 1 === plans.length) throw error;
    }
  }
  return fail('internal', 'The repository could not be cloned.', 'Retry.');
}

interface OwnBranch {
  branch: string;
  remote: string;
}

async function restore(
  view: RepositoryView,
  deps: RestoreDeps,
  { branch, remote }: OwnBranch,
  start: string | undefined,
): Promise<SessionEvent[]> {
  const { forge, git, session } = deps;
  const own = `refs/heads/${branch}`;
  const ref = checkpointRef(session.sessionId);
  if (git.checkpoint !== null && (await forge.refSha(ref.replace('refs/', ''))) !== null) {
    await fetchRef(view, remote, ref, 'refs/ship/restored');
    const saved = await view.text(['rev-parse', 'refs/ship/restored']);
    const head = await view.resolve('refs/ship/restored^1');
    await checkOut(view, start, saved);
    // Files of the checkpoint on the commit before it: uncommitted changes show as such.
    await view.text(head === undefined ? ['read-tree', '--empty'] : ['read-tree', head]);
    await view.git(['update-index', '-q', '--refresh']);
    await view.adopt(branch, head);
    return [sessionEvent('work.restored', { from: 'checkpoint', sha: saved })];
  }
  const pushed = git.branch === null ? null : await forge.refSha(`heads/${branch}`);
  if (pushed !== null) {
    await fetchRef(view, remote, own, `refs/remotes/origin/${branch}`);
    const tip = await view.text(['rev-parse', `refs/remotes/origin/${branch}`]);
    await checkOut(view, start, tip);
    await view.adopt(branch, tip);
    return [sessionEvent('work.restored', { from: 'branch', sha: tip })];
  }
  await view.adopt(branch, start);
  const { base, baseSha, commitCount } = git;
  // A session without commits starts from the current base: its diff must not show changes of others.
  const isMoved = commitCount === 0 && start !== undefined && start !== baseSha;
  return isMoved && base !== null
    ? [sessionEvent('branch.made', { branch, base, baseSha: start })]
    : [];
}
