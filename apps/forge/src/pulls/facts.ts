import { type Forge, pathsOf } from '../forge.ts';
import { diffSummary, type Totals, totals } from '../git/diff.ts';
import { mergeTrees } from '../git/merge.ts';
import { distance, mergeBase } from '../git/revisions.ts';
import { GitError } from '../git/run.ts';
import type { PullRow, RepositoryRow } from '../store/rows.ts';

/** Facts about two commits. They never change for the same two, so they are cached. */
export interface PullFacts extends Totals {
  commits: number;
  mergeable: boolean;
}

const unknown: PullFacts = { commits: 0, additions: 0, deletions: 0, files: 0, mergeable: false };
const cache = new Map<string, Promise<PullFacts>>();
const maxCached = 500;

/** The base and head commit of a pull request. */
export type PullRange = Pick<PullRow, 'base_sha' | 'head_sha'>;

export function pullFacts(
  forge: Forge,
  repository: RepositoryRow,
  pull: PullRange,
): Promise<PullFacts> {
  const key = `${repository.git_dir}\0${pull.base_sha}\0${pull.head_sha}`;
  let facts = cache.get(key);
  if (facts === undefined) {
    facts = compute(forge, repository, pull.base_sha, pull.head_sha).catch((error: unknown) => {
      cache.delete(key);
      // A branch that was deleted and pruned by hand must not break every list of pull requests.
      if (error instanceof GitError) return unknown;
      throw error;
    });
    cache.set(key, facts);
    const oldest = cache.keys().next().value;
    if (cache.size > maxCached && oldest !== undefined) cache.delete(oldest);
  }
  return facts;
}

async function compute(
  forge: Forge,
  repository: RepositoryRow,
  base: string,
  head: string,
): Promise<PullFacts> {
  const paths = pathsOf(forge, repository);
  const { ahead, behind } = await distance(paths, base, head);
  // Fast path for an unchanged base, the common case: it saves two git processes.
  if (behind === 0)
    return { commits: ahead, ...totals(await diffSummary(paths, base, head)), mergeable: true };
  const [changed, merge] = await Promise.all([
    mergeBase(paths, base, head).then((start) => diffSummary(paths, start ?? base, head)),
    mergeTrees(paths, base, head),
  ]);
  return { commits: ahead, ...totals(changed), mergeable: merge.clean };
}
