import { type SessionEvent } from '@ship/protocol';
import { sessionEvent } from '@ship/core';
import type { Conflict } from './branch-tip.ts';
import type { GitDeps } from './deps.ts';
import { firstCommit } from './first-commit.ts';
import { takeInBase } from './update-from-base.ts';
import type { RepositoryView } from './work/view.ts';

/** Whether the base is still the commit that only the sandbox has, of a repository that was empty. */
export async function isBaseUnborn({ git, session }: Pick<GitDeps, 'git' | 'session'>) {
  if (git.pushedSha !== null || git.baseSha === null) return false;
  return git.baseSha === (await firstCommit(session)).sha;
}

type Begun =
  | { kind: 'begun'; tip: string; events: SessionEvent[] }
  | { kind: 'conflict'; conflict: Conflict };

/**
 * Gives an empty repository its base, just before the first work goes there. First the base: the branch that a forge gets
 * first becomes its default. Where somebody else has begun it meanwhile, their commits are merged into the work.
 */
export async function createBase(
  view: RepositoryView,
  deps: GitDeps,
  { branch, base, tip }: { branch: string; base: string; tip: string },
): Promise<Begun> {
  const { forge, session, git } = deps;
  const first = await firstCommit(session);
  const ask = () => forge.refSha(`heads/${base}`);
  let there = await ask();
  if (there === null) {
    try {
      await forge.createBranch(base, first);
      there = first.sha;
    } catch (error) {
      // Another session may have been faster by a moment.
      there = await ask();
      if (there === null) throw error;
    }
  }
  if (there === first.sha) return { kind: 'begun', tip, events: [] };
  const merged = await takeInBase(view, deps, { branch, base, sha: tip });
  if (merged.kind === 'conflict') return merged;
  const { theirs, sha } = merged;
  // The end of a conflict with the base says so itself.
  const isTold = git.conflict?.with === 'base';
  const events = isTold ? [] : [sessionEvent('base.merged', { baseSha: theirs, sha })];
  return { kind: 'begun', tip: sha, events };
}
