import { clonePlan, describeEmptyRepository, describeWorkingCopy, sessionEvent } from '@ship/core';
import type { SessionEvent } from '@ship/protocol';
import { baseTip } from './base-tip.ts';
import { restoreWork } from './restore.ts';
import { chooseBranch } from './choose-branch.ts';
import { type GitDeps, movedEvents } from './deps.ts';
import { firstCommit } from './first-commit.ts';
import { MIRROR_FOLDER } from './mirror/template.ts';
import {
  type Arrival,
  type CloneSource,
  cloneInPlace,
  deepenInBackground,
  findCheckout,
  partialFolder,
  pointOrigin,
} from './work/clone.ts';
import { completeCheckout } from './work/checkout-notes.ts';
import type { People } from './work/commit.ts';
import { RepositoryView } from './work/view.ts';

/** The author of commits is needed last, and may have to be read from the forge. */
type PrepareDeps = Omit<GitDeps, 'people'> & { people: People | Promise<People> };

export interface PrepareOptions {
  /** Where a bare clone may be inside the sandbox, from which objects are borrowed. */
  mirror?: string;
  /** Runs in a fresh clone; its arguments may take a request of their own. */
  arrival?: Promise<Arrival>;
}

/** The inputs of a clone. */
interface ClonePreparation {
  base: string;
  branch: string;
  source: CloneSource;
  sizeKb: number;
  mirror: string;
}

/**
 * Puts the repository into the sandbox, on the session's branch, with all of its work: what was pushed, and what the last
 * checkpoint has beyond that. It appears in its place complete or not at all.
 */
export async function prepareRepository(
  deps: PrepareDeps,
  { mirror = MIRROR_FOLDER, arrival }: PrepareOptions = {},
): Promise<SessionEvent[]> {
  const { shell, folder, forge, session, git } = deps;
  const loading = forge.repository();
  const naming = loading.then(({ defaultBranch }) => {
    const current = forge.workingCopy?.branch ?? null;
    return { base: git.base ?? session.base ?? current ?? defaultBranch, defaultBranch };
  });
  const hasWork = git.branch !== null;
  // Concurrently, as far as the answers are independent: the forge may be far away.
  const [{ sizeKb }, { base }, tip, branch, { author }, found, asked] = await Promise.all([
    loading,
    naming,
    naming.then((names) => baseTip(forge, names.base)),
    git.branch ?? chooseBranch(forge, session, naming),
    deps.people,
    // A new session's call checks for itself: one round trip less.
    hasWork ? findCheckout(shell, folder, mirror) : null,
    arrival,
  ]);
  const remote = await deps.remoteFor(branch);
  const first = tip === null ? { commit: await firstCommit(session), base } : undefined;
  const source = { remote, base: tip === null ? null : base, first, author };
  const wanted = { base, branch, source, sizeKb, mirror };
  if (found === null) return begin(deps, wanted, asked);
  if (found.exists) {
    await pointOrigin(shell, folder, remote, branch);
    return movedEvents(deps);
  }
  const plans = [clonePlan(sizeKb, null)];
  if (found.mirrorMadeAtMs !== null) plans.unshift(clonePlan(sizeKb, mirror));
  const restored = await restoreWork(deps, source, plans, branch);
  return [
    ...movedEvents(deps),
    ...restored,
    ...(await completeCheckout(shell, folder, deps.submodules)),
  ];
}

async function begin(
  deps: PrepareDeps,
  { base, branch, source, sizeKb, mirror }: ClonePreparation,
  arrival: Arrival | undefined,
): Promise<SessionEvent[]> {
  const { shell, folder } = deps;
  const made = (baseSha: string | null) => [
    ...movedEvents(deps),
    sessionEvent('branch.made', {
      branch,
      base,
      baseSha,
      ...notesFor(deps, base, source.first !== undefined),
    }),
  ];
  const options = { ...source, folder: partialFolder(folder), plan: clonePlan(sizeKb, null) };
  const cloned = await cloneInPlace(shell, options, { branch, place: folder, mirror, arrival });
  if (cloned === undefined) {
    await pointOrigin(shell, folder, source.remote, branch);
    const events = made(await startOf(deps, base));
    return [...events, ...(await completeCheckout(shell, folder, deps.submodules))];
  }
  if (cloned.plan.kind === 'shallow' && source.base !== null)
    await deepenInBackground(shell, folder);
  return [
    ...made(cloned.head),
    ...(cloned.needsCompletion ? await completeCheckout(shell, folder, deps.submodules) : []),
  ];
}

function notesFor(
  { forge }: Pick<GitDeps, 'forge'>,
  base: string,
  isEmpty: boolean,
): { notes?: string[] } {
  const { workingCopy } = forge;
  const found = workingCopy ? describeWorkingCopy(workingCopy, base) : [];
  const notes = isEmpty ? describeEmptyRepository(base, workingCopy?.uncommitted ?? 0) : found;
  return notes.length === 0 ? {} : { notes };
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
