import { fail } from '@ship/protocol';
import type { CommandOutcome } from '../sandbox/port.ts';
import type { Conflict } from './branch-tip.ts';
import type { GitDeps } from './deps.ts';
import { fetchRef } from './work/history.ts';
import { checkOut, mergeIn } from './work/integrate.ts';
import { pushCommit, pushOutcome } from './work/push.ts';
import type { RepositoryView } from './work/view.ts';

export type Publication =
  | { kind: 'unchanged' }
  | { kind: 'pushed'; sha: string }
  | { kind: 'conflict'; conflict: Conflict };

/** Others may push between the check and the push, but not forever. */
const MAX_ATTEMPTS = 4;

/**
 * Brings the branch at the forge to `tip`. Commits of others are merged first, never overwritten; Ship's own may be replaced,
 * as after an amended commit. The forge, not the sandbox, confirms the result. `early` is the result of a first push with a
 * lease on the last pushed commit.
 */
export async function publish(
  view: RepositoryView,
  deps: GitDeps,
  branch: string,
  tip: string,
  early?: CommandOutcome,
): Promise<Publication> {
  const remote = await deps.remoteFor(branch);
  const ref = `refs/heads/${branch}`;
  const isPushed = async (sha: string) => (await deps.forge.refSha(`heads/${branch}`)) === sha;
  let ours = tip;
  // Usually there are no other pushes: the lease shows that without an extra request, and people wait for this.
  if (deps.git.pushedSha !== ours) {
    const first = async () =>
      early === undefined
        ? pushCommit(view, remote, ours, ref, deps.git.pushedSha)
        : pushOutcome(ref, early);
    const done = await first().catch(async (thrown: unknown) => {
      // The forge knows better than git what is wrong: an expired token, a deleted repository.
      await deps.forge.refSha(`heads/${branch}`);
      throw thrown;
    });
    if (done === 'pushed' && (await isPushed(ours))) return { kind: 'pushed', sha: ours };
  }
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const remoteSha = await deps.forge.refSha(`heads/${branch}`);
    if (remoteSha === ours)
      return deps.git.pushedSha === ours ? { kind: 'unchanged' } : { kind: 'pushed', sha: ours };
    if (remoteSha !== null && remoteSha !== deps.git.pushedSha) {
      const merged = await mergeRemote(view, deps, branch, remote, ours);
      if (typeof merged !== 'string') return { kind: 'conflict', conflict: merged };
      ours = merged;
    }
    if ((await pushCommit(view, remote, ours, ref, remoteSha)) === 'moved') continue;
    if (await isPushed(ours)) return { kind: 'pushed', sha: ours };
  }
  return fail(
    'unavailable',
    `The branch ${branch} at the forge is not what was pushed.`,
    'Ship retries automatically; someone may be pushing to it at the same time.',
  );
}

/** Merges a person's commits on the session's branch. */
async function mergeRemote(
  view: RepositoryView,
  deps: GitDeps,
  branch: string,
  remote: string,
  ours: string,
): Promise<string | Conflict> {
  const tracking = `refs/remotes/origin/${branch}`;
  await fetchRef(view, remote, `refs/heads/${branch}`, tracking);
  const theirs = await view.text(['rev-parse', tracking]);
  if (await view.isAncestor(theirs, ours)) return ours;
  if (deps.git.pushedSha === null) {
    const message = await view.text(['log', '-1', '--format=%B', theirs, '--']);
    if (message.includes(`Ship-Session: ${deps.session.sessionId}`)) return ours;
    fail(
      'branch-taken',
      `Someone else has pushed a branch ${branch}.`,
      'Choose another branch name for this session.',
    );
  }
  const merged = await mergeIn(view, {
    ours,
    theirs,
    message: `Merge remote-tracking branch 'origin/${branch}' into ${branch}\n\nShip-Session: ${deps.session.sessionId}`,
    people: deps.people,
    remote,
  });
  if (merged.kind === 'conflict') {
    const { kind: _, ...facts } = merged;
    return { with: 'branch', ref: `origin/${branch}`, sha: theirs, ...facts };
  }
  await checkOut(view, ours, merged.sha);
  await view.adopt(branch, merged.sha);
  return merged.sha;
}
