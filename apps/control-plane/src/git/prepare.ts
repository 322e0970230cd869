import { type ClonePlan, clonePlan, sessionEvent } from '@ship/core';
import { fail, type SessionEvent } from '@ship/protocol';
import { chooseBranch } from './choose-branch.ts';
import { checkpointRef, type GitDeps, movedEvents } from './deps.ts';
import { MIRROR_FOLDER } from './mirror/place.ts';
import {
  clone,
  cloneInPlace,
  deepenInBackground,
  lookAround,
  partialFolder,
  pointOrigin,
} from './work/clone.ts';
import { fetchRef } from './work/history.ts';
import type { People } from './work/commit.ts';
import { checkOut } from './work/integrate.ts';
import { RepositoryView } from './work/view.ts';

/** Whom commits are by is needed last, and may be a question to the forge. */
type PrepareDeps = Omit<GitDeps, 'people'> & { people: People | Promise<People> };

export interface PrepareOptions {
  /** Where a bare clone may be inside the sandbox, from which objects are borrowed. */
  mirror?: string;
}

/**
 * Puts the repository into the sandbox, on the session's branch, with all of its work: what was pushed, and what the last
 * checkpoint has beyond that. It appears in its place complete or not at all.
 */
export async function prepareRepository(
  deps: PrepareDeps,
  { mirror = MIRROR_FOLDER }: PrepareOptions = {},
): Promise<SessionEvent[]> {
  const { shell, folder, forge, session, git } = deps;
  const asking = forge.repository();
  const naming = asking.then(({ defaultBranch }) => {
    return { base: git.base ?? session.base ?? defaultBranch, defaultBranch };
  });
  // Side by side, as far as one answer does not need another: the forge may be far away.
  const [{ sizeKb }, { base }, tip, branch, { author }, { isThere, mirrorMadeAtMs }] =
    await Promise.all([
      asking,
      naming,
      naming.then((names) => baseTip(deps, names.base)),
      git.branch ?? chooseBranch(forge, session, naming),
      deps.people,
      lookAround(shell, folder, mirror),
    ]);
  const remote = await deps.remoteFor(branch);
  const made = (baseSha: string | null) => [
    ...movedEvents(deps),
    ...(git.branch === null ? [sessionEvent('branch.made', { branch, base, baseSha })] : []),
  ];
  if (isThere) {
    await pointOrigin(shell, folder, remote, branch);
    return made(git.branch === null ? await startOf(deps, base) : null);
  }
  const wish = { remote, base: tip === null ? null : base, author };
  const plans = [clonePlan(sizeKb, null)];
  if (mirrorMadeAtMs !== null) plans.unshift(clonePlan(sizeKb, mirror));
  const hasWork = git.branch !== null;
  const { partial, plan, head } = await cloneBy(
    plans,
    async (one) =>
      hasWork
        ? clone(shell, { ...wish, ...one }).then(() => null)
        : cloneInPlace(shell, { ...wish, ...one }, { branch, place: folder }),
    folder,
  );
  const events = hasWork
    ? [...movedEvents(deps), ...(await bringBack(deps, partial, { branch, remote }))]
    : made(head);
  if (plan.kind === 'shallow' && tip !== null) await deepenInBackground(shell, folder);
  return events;
}

/** A mirror that is damaged costs time and nothing else: what it was to spare is then fetched. */
async function cloneBy(
  plans: readonly ClonePlan[],
  cloneInto: (one: { plan: ClonePlan; folder: string }) => Promise<string | null>,
  folder: string,
) {
  for (const [i, plan] of plans.entries()) {
    const partial = partialFolder(folder);
    try {
      const head = await cloneInto({ plan, folder: partial });
      return { partial, plan, head };
    } catch (error) {
      if (i + 1 === plans.length) throw error;
    }
  }
  return fail('internal', 'There is no way to clone the repository.', 'Retry.');
}

/** Null in a repository without commits. */
async function baseTip({ forge }: Pick<GitDeps, 'forge'>, base: string): Promise<string | null> {
  const sha = await forge.refSha(`heads/${base}`);
  if (sha === null && (await forge.hasRefsBelow('heads')))
    fail(
      'base-missing',
      `${forge.owner}/${forge.name} has no branch ${base}.`,
      'Choose another base for the session; it may have been renamed or deleted.',
    );
  return sha;
}

/** An earlier call got as far as the clone, and its event was lost. */
function startOf(
  { shell, folder }: Pick<GitDeps, 'shell' | 'folder'>,
  base: string,
): Promise<string | null> {
  return RepositoryView.use(
    shell,
    folder,
    async (view) => (await view.resolve(`refs/remotes/origin/${base}`)) ?? null,
  );
}

interface Own {
  branch: string;
  remote: string;
}

/** The session's work into a new clone, and that into its place. */
async function bringBack(deps: PrepareDeps, partial: string, own: Own): Promise<SessionEvent[]> {
  const view = await RepositoryView.open(deps.shell, partial);
  const events = await restore(view, deps, own);
  await view.close({ ...own, place: deps.folder });
  return events;
}

async function restore(
  view: RepositoryView,
  deps: PrepareDeps,
  { branch, remote }: Own,
): Promise<SessionEvent[]> {
  const start = view.found.head;
  const { forge, git, session } = deps;
  const own = `refs/heads/${branch}`;
  const ref = checkpointRef(session.sessionId);
  if (git.checkpoint !== null && (await forge.refSha(ref.replace('refs/', ''))) !== null) {
    await fetchRef(view, remote, ref, 'refs/ship/restored');
    const saved = await view.text(['rev-parse', 'refs/ship/restored']);
    const head = await view.resolve('refs/ship/restored^1');
    await checkOut(view, start, saved);
    // The files are those of the checkpoint, the commit is the one before: what was not committed shows as such.
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
  return [];
}
