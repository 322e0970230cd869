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
      const { data: made } = await octokit.rest.pulls.create({
        ...at,
        title: 'Work',
        body: 'why',
        head: branch,
        base: 'main',
        draft: true,
      });
      expect(made).toMatchObject({
        draft: true,
        state: 'open',
        mergeable: true,
        mergeable_state: 'draft',
        commits: 2,
        additions: 2,
        changed_files: 1,
      });
      expect(
        (await failure(octokit.rest.pulls.merge({ ...at, pull_number: made.number }))).status,
      ).toBe(405);
      expect(await octokit.graphql(ready, { id: made.node_id })).toEqual({
        markPullRequestReadyForReview: { pullRequest: { isDraft: false, number: made.number } },
      });
      await octokit.graphql(draft, { id: made.node_id });
      await octokit.graphql(ready, { id: made.node_id });
      const before = await git(work, 'rev-parse', 'main');
      const { data: merged } = await octokit.rest.pulls.merge({
        ...at,
        pull_number: made.number,
        merge_method: method,
        sha: made.head.sha,
      });
      expect(merged.merged).toBe(true);
      await git(work, 'fetch', '-q', 'origin');
      expect(await git(work, 'rev-parse', 'origin/main')).toBe(merged.sha);
      expect(await git(work, 'show', `origin/main:${method}.txt`)).toBe('a\nb');
      const count = Number(await git(work, 'rev-list', '--count', `${before}..origin/main`));
      expect(count).toBe({ merge: 3, squash: 1, rebase: 2 }[method]);
      const { data: after } = await octokit.rest.pulls.get({ ...at, pull_number: made.number });
      expect(after).toMatchObject({
        merged: true,
        state: 'closed',
        merge_commit_sha: merged.sha,
        merged_by: { login: 'local' },
        commits: 2,
      });
      await octokit.rest.git.deleteRef({ ...at, ref: `heads/${branch}` });
      expect(await git(work, 'ls-remote', 'origin', `refs/heads/${branch}`)).toBe('');
      const { data: files } = await octokit.rest.pulls.listFiles({
        ...at,
        pull_number: made.number,
      });
      expect(files.map((file) => file.filename)).toEqual([`${method}.txt`]);
      expect(
        (await octokit.rest.pulls.checkIfMerged({ ...at, pull_number: made.number })).status,
      ).toBe(204);
    });
});

async function openPull(branch: string, files: Record<string, string | Buffer>) {
  await git(work, 'checkout', '-q', 'main');
  await git(work, 'fetch', '-q', 'origin');
  await git(work, 'reset', '-q', '--hard', 'origin/main');
  await pushedBranch(work, branch, files);
  return (
    await octokit.rest.pulls.create({ ...at, title: branch, head: `local:${branch}`, base: 'main' })
  ).data;
}
const pull = async (number: number) =>
  (await octokit.rest.pulls.get({ ...at, pull_number: number })).data;

const creationErrors = async (head: string, base: string) =>
  (await failure(octokit.rest.pulls.create({ ...at, title: 't', head, base }))).data['errors'];

describe('refused pull requests and merges', () => {
  test('a second pull request for the same branches is refused and the first is found by its head', async () => {
    const { number } = await openPull('twice', { 'twice.txt': '1' });
    const refused = await failure(
      octokit.rest.pulls.create({ ...at, title: 'again', head: 'twice', base: 'main' }),
    );
    expect(refused.status).toBe(422);
    expect(refused.data['errors']).toEqual([
      {
        resource: 'PullRequest',
        code: 'custom',
        message: 'A pull request already exists for local:twice.',
      },
    ]);
    const { data: found } = await octokit.rest.pulls.list({
      ...at,
      head: 'local:twice',
      state: 'open',
    });
    expect(found.map((one) => one.number)).toEqual([number]);
    expect((await octokit.rest.pulls.list({ ...at, head: 'other:twice' })).data).toEqual([]);
  });

  test('concurrent requests create one pull request', async () => {
    await pushedBranch(work, 'race', { 'race.txt': '1' });
    const input = { ...at, title: 'race', head: 'race', base: 'main' };
    const results = await Promise.allSettled(
      [1, 2, 3, 4].map(() => octokit.rest.pulls.create(input)),
    );
    expect(results.filter((answer) => answer.status === 'fulfilled')).toHaveLength(1);
  });

  test('missing head, missing base, nothing to merge, another owner’s head', async () => {
    await git(work, 'push', '-q', 'origin', 'origin/main:refs/heads/same');
    expect(await creationErrors('nowhere', 'main')).toEqual([
      { resource: 'PullRequest', field: 'head', code: 'invalid' },
    ]);
    expect(await creationErrors('same', 'nowhere')).toEqual([
      { resource: 'PullRequest', field: 'base', code: 'invalid' },
    ]);
    expect(await creationErrors('stranger:same', 'main')).toEqual([
      { resource: 'PullRequest', field: 'head', code: 'invalid' },
    ]);
    expect(await creationErrors('same', 'main')).toEqual([
      { resource: 'PullRequest', code: 'custom', message: 'No commits between main and same' },
    ]);
    const missing = await forge.fetch('/repos/local/app/pulls', {
      method: 'POST',
      body: '{"head":"same"}',
    });
    expect(await missing.json()).toMatchObject({
      errors: [
        { resource: 'PullRequest', field: 'title', code: 'missing_field' },
        { resource: 'PullRequest', field: 'base', code: 'missing_field' },
      ],
    });
  });

  test('a conflict is detected, named, and disappears when the branch is fixed', async () => {
    const { number } = await openPull('conflict', {
      'src/a.txt': 'one\nTWO from the branch\nthree\n',
    });
    await git(work, 'checkout', '-q', 'main');
    await commit(work, { 'src/a.txt': 'one\nTWO from main\nthree\n' });
    await git(work, 'push', '-q', 'origin', 'main');
    expect(await pull(number)).toMatchObject({ mergeable: false, mergeable_state: 'dirty' });
    for (const method of ['merge', 'squash', 'rebase'] as const) {
      const refused = await failure(
        octokit.rest.pulls.merge({ ...at, pull_number: number, merge_method: method }),
      );
      expect(refused).toMatchObject({
        status: 405,
        data: { message: expect.stringContaining('src/a.txt') as string },
      });
    }
    await git(work, 'checkout', '-q', 'conflict');
    await git(work, 'merge', '-q', '-X', 'ours', '-m', 'fix', 'main');
    await git(work, 'push', '-q', 'origin', 'conflict');
    expect(await pull(number)).toMatchObject({ mergeable: true, mergeable_state: 'clean' });
    await octokit.rest.pulls.merge({ ...at, pull_number: number });
  });

  test('a head that moved since the client read it is a 409', async () => {
    const made = await openPull('moved', { 'moved.txt': '1' });
    const next = await pushedBranch(work, 'moved', { 'moved.txt': '2' });
    const merge = { ...at, pull_number: made.number, sha: made.head.sha };
    expect((await failure(octokit.rest.pulls.merge(merge))).status).toBe(409);
    expect((await pull(made.number)).head.sha).toBe(next);
    await octokit.rest.pulls.merge({ ...merge, sha: next });
    expect((await failure(octokit.rest.pulls.merge(merge))).data['message']).toBe(
      'Pull Request is already merged',
    );
  });
});

describe('changes outside of the API are detected', () => {
  test('a merge made with git and pushed', async () => {
    const made = await openPull('by-hand', { 'by-hand.txt': '1' });
    await git(work, 'checkout', '-q', 'main');
    await git(work, 'merge', '-q', '--no-ff', '-m', 'by hand', 'by-hand');
    await git(work, 'push', '-q', 'origin', 'main');
    const merge = await git(work, 'rev-parse', 'main');
    expect(await pull(made.number)).toMatchObject({
      merged: true,
      state: 'closed',
      merge_commit_sha: merge,
    });
  });

  test('a deleted head closes the pull request; it can be reopened after the branch is restored, and through the API', async () => {
    const made = await openPull('gone', { 'gone.txt': '1' });
    await git(work, 'push', '-q', 'origin', ':gone');
    expect(await pull(made.number)).toMatchObject({ state: 'closed', merged: false });
    const reopen = { ...at, pull_number: made.number, state: 'open' as const };
    expect((await failure(octokit.rest.pulls.update(reopen))).status).toBe(422);
    await git(work, 'push', '-q', 'origin', 'gone');
    expect((await octokit.rest.pulls.update(reopen)).data.state).toBe('open');
    expect(
      (await octokit.rest.pulls.update({ ...reopen, state: 'closed' })).data.closed_at,
    ).not.toBeNull();
    expect(
      (await octokit.rest.pulls.update({ ...reopen, title: 'new title', body: 'new' })).data,
    ).toMatchObject({
      state: 'open',
      title: 'new title',
      body: 'new',
    });
  });

  test('a force push moves the head; refs/pull/N/head follows and survives the branch', async () => {
    const made = await openPull('forced', { 'forced.txt': '1' });
    const next = await pushedBranch(work, 'forced', { 'forced.txt': '2' }, 'amended');
    expect((await pull(made.number)).head.sha).toBe(next);
    await octokit.rest.pulls.update({ ...at, pull_number: made.number, state: 'closed' });
    await git(work, 'push', '-q', 'origin', ':forced');
    expect(await git(work, 'ls-remote', 'origin', `refs/pull/${made.number}/head`)).toBe(
      `${next}\trefs/pull/${made.number}/head`,
    );
    expect(
      (await octokit.rest.pulls.listCommits({ ...at, pull_number: made.number })).data.map(
        (one) => one.sha,
      ),
    ).toEqual([next]);
  });

  test('the branch is deleted on merge with delete_branch_on_merge', async () => {
    await octokit.rest.repos.update({ ...at, delete_branch_on_merge: true });
    const made = await openPull('tidy', { 'tidy.txt': '1' });
    await octokit.rest.pulls.merge({ ...at, pull_number: made.number, merge_method: 'squash' });
    expect((await failure(octokit.rest.git.getRef({ ...at, ref: 'heads/tidy' }))).status).toBe(404);
    expect(await pull(made.number)).toMatchObject({ merged: true });
    await octokit.rest.repos.update({ ...at, delete_branch_on_merge: false });
  });

  test('update branch merges the base into the head', async () => {
    const made = await openPull('behind', { 'behind.txt': '1' });
    await git(work, 'checkout', '-q', 'main');
    const base = await commit(work, { 'ahead.txt': '1' });
    await git(work, 'push', '-q', 'origin', 'main');
    await octokit.rest.pulls.updateBranch({
      ...at,
      pull_number: made.number,
      expected_head_sha: made.head.sha,
    });
    const after = await pull(made.number);
    expect(after.head.sha).not.toBe(made.head.sha);
    const { data } = await octokit.rest.repos.compareCommits({ ...at, base, head: 'behind' });
    expect(data.behind_by).toBe(0);
  });
});
