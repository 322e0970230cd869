import { type SessionEvent } from '@ship/protocol';
import { sessionEvent } from '@ship/core';
import type { Conflict } from './branch-tip.ts';
import type { GitDeps } from './deps.ts';
import { firstCommit } from './first-commit.ts';
import { mergeBase } from './update-from-base.ts';
import type { RepositoryView } from './work/view.ts';

/** Whether the base is still the first commit that only the sandbox has, in a repository that was empty. */
export async function isBaseUnborn({ git, session }: Pick<GitDeps, 'git' | 'session'>) {
  if (git.pushedSha !== null || git.baseSha === null) return false;
  return git.baseSha === (await firstCommit(session)).sha;
}

type CreatedBase =
  | { kind: 'created'; tip: string; events: SessionEvent[] }
  | { kind: 'conflict'; conflict: Conflict };

/**
 * Creates the base of an empty repository, just before the first work is pushed. The base goes first: a forge makes the first
 * branch that it gets the default one. If another person has created it meanwhile, their commits are merged into the work.
 */
export async function createBase(
  view: RepositoryView,
  deps: GitDeps,
  { branch, base, tip }: { branch: string; base: string; tip: string },
): Promise<CreatedBase> {
  const { forge, session, git } = deps;
  const first = await firstCommit(session);
  const readBase = () => forge.refSha(`heads/${base}`);
  let existing = await readBase();
  if (existing === null) {
    try {
      await forge.createBranch(base, first);
      existing = first.sha;
    } catch (error) {
      // Another session may have been faster by a moment.
      existing = await readBase();
      if (existing === null) throw error;
    }
  }
  if (existing === first.sha) return { kind: 'created', tip, events: [] };
  const merged = await mergeBase(view, deps, { branch, base, sha: tip });
  if (merged.kind === 'conflict') return merged;
  const { theirs, sha } = merged;
  // Resolving a conflict with the base records this itself.
  const isRecorded = git.conflict?.with === 'base';
  const events = isRecorded ? [] : [sessionEvent('base.merged', { baseSha: theirs, sha })];
  return { kind: 'created', tip: sha, events };
}
