import { branchDeletion, sessionEvent } from '@ship/core';
import type { DeleteBranch, SessionEvent, SessionId } from '@ship/protocol';
import { checkpointRef, type GitDeps } from './deps.ts';

type Deps = Pick<GitDeps, 'forge' | 'git'>;

/**
 * Deletes the session's branch at the forge when the setting says so. Idempotent: a missing branch counts as deleted. A branch
 * that has moved since Ship's last push holds work of others and stays.
 */
export async function tidyBranch(
  { forge, git }: Deps,
  rule: DeleteBranch,
  { isEnded }: { isEnded: boolean },
): Promise<SessionEvent[]> {
  const reason = branchDeletion(git, rule, isEnded);
  const { branch } = git;
  if (reason === null || branch === null) return [];
  const sha = await forge.refSha(`heads/${branch}`);
  if (sha !== null && sha !== git.pushedSha) return [];
  if (!(await forge.deleteRef(`heads/${branch}`))) return [];
  return [sessionEvent('branch.deleted', { branch, reason })];
}

/** Deletes the checkpoints of a session that ended. */
export async function tidySession(
  deps: Deps,
  sessionId: SessionId,
  rule: DeleteBranch,
): Promise<SessionEvent[]> {
  await deps.forge.deleteRef(checkpointRef(sessionId).replace('refs/', ''));
  return tidyBranch(deps, rule, { isEnded: true });
}
