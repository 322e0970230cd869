import { beforeAll, describe, expect, test } from 'vitest';
import type { Octokit } from 'octokit';
import { failure, temporaryFolder, testForge, type TestForge } from './support/forge.ts';
import { commit, git, pushedBranch, seeded } from './support/git.ts';

let forge: TestForge;
let octokit: Octokit;
let work: string;
const at = { owner: 'local', repo: 'app' };

beforeAll(async () => {
  forge = await testForge();
  octokit = forge.octokit();
  await octokit.rest.repos.createForAuthenticatedUser({ name: 'app', description: 'An app' });
  work = await seeded(await temporaryFolder(), forge.gitUrl, 'local/app');
  return () => forge.close();
});

const ready = `mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { isDraft number } } }`;
const draft = `mutation($id: ID!) { convertPullRequestToDraft(input: {pullRequestId: $id}) { pullRequest { isDraft } } }`;

describe('from the first push to a merged pull request', () => {
  for (const method of ['merge', 'squash', 'rebase'] as const)
    test(`draft, ready, ${method}, branch deleted`, async () => {
      const branch = `feature-${method}`;
      await git(work, 'checkout', '-q', 'main');
      await git(work, 'pull', '-q', 'origin', 'main');
      await pushedBranch(work, branch, { [`${method}.txt`]: 'a\n' }, 'feat: first');
      await commit(work, { [`${method}.txt`]: 'a\nb\n' }, 'feat: second');
      await git(work, 'push', '-q', 'origin', branch);
      const { data: made } = await octokit.rest.pulls.create({ ...at, title: 'Work', body: 'why', head: branch, base: 'main', draft: true });
      expect(made).toMatchObject({ draft: true, state: 'open', mergeable: true, mergeable_state: 'draft', commits: 2, additions: 2, changed_files: 1 });
      expect((await failure(octokit.rest.pulls.merge({ ...at, pull_number: made.number }))).status).toBe(405);
      expect(await octokit.graphql(ready, { id: made.node_id })).toEqual({
        markPullRequestReadyForReview: { pullRequest: { isDraft: false, number: made.number } },
      });
      await octokit.graphql(draft, { id: made.node_id });
      await octokit.graphql(ready, { id: made.node_id });
      const before = await git(work, 'rev-parse', 'main');
      const { data: merged } = await octokit.rest.pulls.merge({ ...at, pull_number: made.number, merge_method: method, sha: made.head.sha });
      expect(merged.merged).toBe(true);
      await git(work, 'fetch', '-q', 'origin');
      expect(await git(work, 'rev-parse', 'origin/main')).toBe(merged.sha);
      expect(await git(work, 'show', `origin/main:${method}.txt`)).toBe('a\nb');
      const count = Number(await git(work, 'rev-list', '--count', `${before}..origin/main`));
      expect(count).toBe({ merge: 3, squash: 1, rebase: 2 }[method]);
      const { data: after } = await octokit.rest.pulls.get({ ...at, pull_number: made.number });
      expect(after).toMatchObject({ merged: true, state: 'closed', merge_commit_sha: merged.sha, merged_by: { login: 'local' }, commits: 2 });
      await octokit.rest.git.deleteRef({ ...at, ref: `heads/${branch}` });
      expect(await git(work, 'ls-remote', 'origin', `refs/heads/${branch}`)).toBe('');
      const { data: files } = await octokit.rest.pulls.listFiles({ ...at, pull_number: made.number });
      expect(files.map((file) => file.filename)).toEqual([`${method}.txt`]);
      expect((await octokit.rest.pulls.checkIfMerged({ ...at, pull_number: made.number })).status).toBe(204);
    });
});
