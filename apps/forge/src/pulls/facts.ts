import { type Forge, placeOf } from '../forge.ts';
import { diffSummary, type Totals, totals } from '../git/diff.ts';
import { mergeTrees } from '../git/merge.ts';
import { distance, mergeBase } from '../git/revisions.ts';
import { GitError } from '../git/run.ts';
import type { PullRow, RepositoryRow } from '../store/rows.ts';

/** What git says about two commits; never changes for the same two, so it is kept. */
export interface PullFacts extends Totals {
  commits: number;
  mergeable: boolean;
}

const unknown: PullFacts = { commits: 0, additions: 0, deletions: 0, files: 0, mergeable: false };
const kept = new Map<string, Promise<PullFacts>>();
const maxKept = 500;

/** The two commits that a pull request is between. */
export type PullRange = Pick<PullRow, 'base_sha' | 'head_sha'>;

export function pullFacts(
  forge: Forge,
  repository: RepositoryRow,
  pull: PullRange,
): Promise<PullFacts> {
  const key = `${repository.git_dir}\0${pull.base_sha}\0${pull.head_sha}`;
  let facts = kept.get(key);
  if (facts === undefined) {
    facts = compute(forge, repository, pull.base_sha, pull.head_sha).catch((error: unknown) => {
      kept.delete(key);
      // A branch that somebody removed by hand and pruned must not make every list of pull requests fail.
      if (error instanceof GitError) return unknown;
      throw error;
    });
    kept.set(key, facts);
    const oldest = kept.keys().next().value;
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
  }
  return facts;
}

async function compute(
  forge: Forge,
  repository: RepositoryRow,
  base: string,
  head: string,
): Promise<PullFacts> {
  const place = placeOf(forge, repository);
  const { ahead, behind } = await distance(place, base, head);
  // Nothing happened in the base since: most pull requests are read so, and every process counts.
  if (behind === 0)
    return { commits: ahead, ...totals(await diffSummary(place, base, head)), mergeable: true };
  const [changed, merge] = await Promise.all([
    mergeBase(place, base, head).then((start) => diffSummary(place, start ?? base, head)),
    mergeTrees(place, base, head),
  ]);
  return { commits: ahead, ...totals(changed), mergeable: merge.clean };
}
