import { type Forge, pathsOf } from '../forge.ts';
import { listCommitIds, readCommit, readCommits } from '../git/commits.ts';
import { diffFiles } from '../git/diff.ts';
import { distance, mergeBase } from '../git/revisions.ts';
import { notFound } from '../http/errors.ts';
import type { Page } from '../http/paging.ts';
import { limits } from '../limits.ts';
import { repositoryHtmlUrl, repositoryUrl } from '../repositories/to-json.ts';
import type { RepositoryRow } from '../store/rows.ts';
import { commitJson, fileJson } from './to-json.ts';

export interface Comparison {
  mergeBase: string;
  more: boolean;
  json(base: string, head: string): Record<string, unknown>;
}

/** Compares the merge base with the head, as on GitHub: newer commits of the base are ignored. */
export async function compare(
  forge: Forge,
  repository: RepositoryRow,
  from: string,
  to: string,
  page: Page,
): Promise<Comparison> {
  const paths = pathsOf(forge, repository);
  const start = await mergeBase(paths, from, to);
  // As on GitHub: 404 without a common history.
  if (start === undefined) throw notFound();
  const count = Math.min(page.size, limits.compareCommits);
  const skip = (page.number - 1) * count;
  const [{ ahead, behind }, ids, files, ends] = await Promise.all([
    distance(paths, from, to),
    listCommitIds(paths, { from: [to], without: [from], oldestFirst: true }),
    diffFiles(paths, start, to),
    Promise.all([readCommit(paths, from), readCommit(paths, start)]),
  ]);
  const commits = await readCommits(paths, ids.slice(skip, skip + count));
  const [baseCommit, startCommit] = ends;
  if (baseCommit === undefined || startCommit === undefined) throw notFound();
  const url = repositoryUrl(forge, repository);
  const html = repositoryHtmlUrl(forge, repository);
  return {
    mergeBase: start,
    more: skip + count < ids.length,
    json: (base, head) => {
      const range = `${encodeURIComponent(base)}...${encodeURIComponent(head)}`;
      return {
        url: `${url}/compare/${range}`,
        html_url: `${html}/compare/${range}`,
        permalink_url: `${html}/compare/${from}...${to}`,
        diff_url: `${html}/compare/${range}.diff`,
        patch_url: `${html}/compare/${range}.patch`,
        base_commit: commitJson(forge, repository, baseCommit),
        merge_base_commit: commitJson(forge, repository, startCommit),
        status: statusOf(ahead, behind),
        ahead_by: ahead,
        behind_by: behind,
        total_commits: ahead,
        commits: commits.map((commit) => commitJson(forge, repository, commit)),
        // Files come with the first page only, as on GitHub.
        files:
          page.number === 1
            ? files
                .slice(0, limits.compareFiles)
                .map((file) => fileJson(forge, repository, file, to))
            : [],
      };
    },
  };
}

function statusOf(ahead: number, behind: number): string {
  if (ahead > 0 && behind > 0) return 'diverged';
  if (ahead > 0) return 'ahead';
  return behind > 0 ? 'behind' : 'identical';
}
