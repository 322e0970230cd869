import { sessionEvent } from '@ship/core';
import type { SessionEvent } from '@ship/protocol';
import type { GitDeps } from './deps.ts';
import { fetchRef } from './work/history.ts';
import { RepositoryView } from './work/view.ts';

type RestartDeps = Pick<GitDeps, 'shell' | 'folder' | 'forge' | 'remoteFor' | 'git'>;

/**
 * Moves a session without commits to the newest commit of its base: a person who fixed the setup there and retries must
 * not get the old one again. Deletes what the failed setup left in ignored folders; other files that a person edited in the
 * sandbox stay, unless the new commit has them too. Changes nothing when the base has not moved.
 */
export async function restartFromBase(deps: RestartDeps): Promise<SessionEvent[]> {
  const { branch, base, baseSha } = deps.git;
  if (branch === null || base === null) return [];
  const newest = await deps.forge.refSha(`heads/${base}`);
  if (newest === null || newest === baseSha) return [];
  const remote = await deps.remoteFor(branch);
  return RepositoryView.use(deps.shell, deps.folder, async (view) => {
    const origin = `refs/remotes/origin/${base}`;
    await fetchRef(view, remote, `refs/heads/${base}`, origin);
    const tip = await view.text(['rev-parse', origin]);
    const { head } = view.found;
    const from = head === undefined ? [] : [head];
    const merged = await view.git(['read-tree', '-m', '-u', ...from, tip]);
    // Both changed the same file: the base wins.
    if (merged.exitCode !== 0) await view.text(['read-tree', '--reset', '-u', tip]);
    await view.text(['clean', '-ffdXq']);
    await view.adopt(branch, tip);
    return [sessionEvent('branch.made', { branch, base, baseSha: tip })];
  });
}
