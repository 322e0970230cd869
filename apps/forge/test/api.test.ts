import { beforeAll, describe, expect, test } from 'vitest';
import { Octokit } from 'octokit';
import { failure, temporaryFolder, testForge, type TestForge, verdicts } from './support/forge.ts';
import { commit, git, pushedBranch, seeded } from './support/git.ts';

let forge: TestForge;
let octokit: Octokit;
let work: string;
const at = { owner: 'local', repo: 'app' };

beforeAll(async () => {
  forge = await testForge({ name: 'Ada', email: 'ada@example.com' });
  octokit = forge.octokit();
  await octokit.rest.repos.createForAuthenticatedUser({ name: 'app' });
  work = await seeded(await temporaryFolder(), forge.gitUrl, 'local/app');
  return () => forge.close();
});

describe('repositories and users', () => {
  test('who am I, limits, meta, repository, lists', async () => {
    const user = await octokit.rest.users.getAuthenticated();
    expect(user.data).toMatchObject({ login: 'local', name: 'Ada', email: 'ada@example.com' });
    expect(user.headers['x-ratelimit-remaining']).toMatch(/^\d+$/);
    expect((await octokit.rest.rateLimit.get()).data.rate.remaining).toBeGreaterThan(1000);
    await octokit.rest.meta.get();
    expect((await octokit.rest.repos.get(at)).data).toMatchObject({
      full_name: 'local/app',
      default_branch: 'main',
      clone_url: `${forge.gitUrl}/local/app.git`,
      permissions: { push: true },
    });
    expect((await octokit.rest.repos.get({ owner: 'LOCAL', repo: 'App' })).data.id).toBe(1);
    expect((await octokit.rest.repos.listForAuthenticatedUser()).data).toHaveLength(1);
    expect((await octokit.rest.repos.listForUser({ username: 'local' })).data).toHaveLength(1);
    expect(
      (await octokit.rest.repos.createInOrg({ org: 'team', name: 'other' })).data.owner.login,
    ).toBe('team');
    expect((await octokit.rest.repos.listForOrg({ org: 'team' })).data).toHaveLength(1);
    await octokit.rest.repos.delete({ owner: 'team', repo: 'other' });
    expect((await failure(octokit.rest.repos.get({ owner: 'team', repo: 'other' }))).status).toBe(
      404,
    );
  });

  test('a taken or invalid name is a 422; an unknown repository a 404', async () => {
    const create = (name: string) =>
      failure(octokit.rest.repos.createForAuthenticatedUser({ name }));
    expect((await create('app')).data['errors']).toMatchObject([
      { message: 'name already exists on this account' },
    ]);
    for (const name of ['..', '../x', '.git', 'a b', '-x', 'x.git'])
      expect((await create(name)).status).toBe(422);
    expect(await failure(octokit.rest.repos.get({ ...at, repo: 'none' }))).toMatchObject({
      status: 404,
      data: { message: 'Not Found', documentation_url: expect.any(String) as string },
    });
  });

  test('an empty repository', async () => {
    await octokit.rest.repos.createForAuthenticatedUser({ name: 'empty' });
    const empty = { owner: 'local', repo: 'empty' };
    expect((await octokit.rest.repos.listBranches(empty)).data).toEqual([]);
    expect((await failure(octokit.rest.repos.listCommits(empty))).status).toBe(409);
    expect((await failure(octokit.rest.repos.getContent({ ...empty, path: '' }))).status).toBe(404);
    expect((await octokit.rest.pulls.list(empty)).data).toEqual([]);
    // Nobody can tell how large it will be; of one with commits it is told.
    expect((await octokit.rest.repos.get(empty)).data.size).toBe(0);
    expect((await octokit.rest.repos.get(at)).data.size).toBeGreaterThan(0);
  });

  test('the default branch follows: first push of another name, rename, chosen by a person', async () => {
    const on = { owner: 'local', repo: 'renamed' };
    await octokit.rest.repos.createForAuthenticatedUser({ name: 'renamed' });
    const url = `${forge.gitUrl}/local/renamed.git`;
    const head = async () => (await git(work, 'ls-remote', '--symref', url, 'HEAD')).split('\t')[0];
    await git(work, 'push', '-q', url, 'main:master');
    expect((await octokit.rest.repos.get(on)).data.default_branch).toBe('master');
    expect(await head()).toBe('ref: refs/heads/master');
    await git(work, 'push', '-q', url, 'main:trunk');
    await octokit.rest.repos.update({ ...on, default_branch: 'trunk' });
    expect(await head()).toBe('ref: refs/heads/trunk');
    await git(work, 'push', '-q', url, ':master');
    expect(
      (await failure(octokit.rest.repos.update({ ...on, default_branch: 'none' }))).status,
    ).toBe(422);
  });

  test('an archived repository is read-only until it is not', async () => {
    await octokit.rest.repos.update({ ...at, archived: true });
    expect((await failure(octokit.rest.issues.create({ ...at, title: 'x' }))).status).toBe(403);
    await octokit.rest.repos.update({ ...at, archived: false });
  });
});

describe('branches, refs, commits', () => {
  test('refs are made, moved, found and deleted', async () => {
    const first = await git(work, 'rev-parse', 'main');
    const made = await octokit.rest.git.createRef({
      ...at,
      ref: 'refs/heads/topic/one',
      sha: first,
    });
    expect(made.data.object).toMatchObject({ type: 'commit', sha: first });
    expect((await octokit.rest.git.getRef({ ...at, ref: 'heads/topic/one' })).data.ref).toBe(
      'refs/heads/topic/one',
    );
    const again = await failure(
      octokit.rest.git.createRef({ ...at, ref: 'refs/heads/topic/one', sha: first }),
    );
    expect(again).toMatchObject({ status: 422, data: { message: 'Reference already exists' } });
    const clash = await failure(
      octokit.rest.git.createRef({ ...at, ref: 'refs/heads/topic', sha: first }),
    );
    expect(clash.status).toBe(422);
    expect(clash.data['message']).toContain("'refs/heads/topic/one' exists");
    const { data: tree } = await octokit.rest.git.createTree({
      ...at,
      base_tree: first,
      tree: [{ path: 'made/by api.txt', mode: '100644', type: 'blob', content: 'hello' }],
    });
    const { data: next } = await octokit.rest.git.createCommit({
      ...at,
      message: 'by api',
      tree: tree.sha,
      parents: [first],
      author: { name: 'Zoë', email: 'z@example.com', date: '2020-01-02T03:04:05Z' },
    });
    expect(next.author).toEqual({
      name: 'Zoë',
      email: 'z@example.com',
      date: '2020-01-02T03:04:05Z',
    });
    await octokit.rest.git.updateRef({ ...at, ref: 'heads/topic/one', sha: next.sha });
    const back = { ...at, ref: 'heads/topic/one', sha: first };
    expect((await failure(octokit.rest.git.updateRef(back))).data['message']).toBe(
      'Update is not a fast forward',
    );
    await octokit.rest.git.updateRef({ ...back, force: true });
    const { data: matching } = await octokit.rest.git.listMatchingRefs({
      ...at,
      ref: 'heads/topic',
    });
    expect(matching.map((ref) => ref.ref)).toEqual(['refs/heads/topic/one']);
    await octokit.rest.git.deleteRef({ ...at, ref: 'heads/topic/one' });
    expect(
      (await failure(octokit.rest.git.deleteRef({ ...at, ref: 'heads/topic/one' }))).status,
    ).toBe(422);
    expect((await failure(octokit.rest.git.deleteRef({ ...at, ref: 'heads/main' }))).status).toBe(
      422,
    );
    expect(
      (
        await failure(
          octokit.rest.git.createRef({ ...at, ref: 'refs/heads/x', sha: 'f'.repeat(40) }),
        )
      ).status,
    ).toBe(422);
  });

  test('odd branch names: dash, unicode, quotes, percent, deep', async () => {
    const sha = await git(work, 'rev-parse', 'main');
    for (const branch of [
      '-rf',
      '--upload-pack=x',
      'ünïcödé-😀',
      "it's",
      'a%2Fb',
      'deep/er/still',
      'a#b',
      'head',
    ]) {
      await octokit.rest.git.createRef({ ...at, ref: `refs/heads/${branch}`, sha });
      expect((await octokit.rest.repos.getBranch({ ...at, branch })).data.name).toBe(branch);
      expect((await octokit.rest.repos.getCommit({ ...at, ref: branch })).data.sha).toBe(sha);
      expect(
        (
          await octokit.rest.repos.compareCommitsWithBasehead({
            ...at,
            basehead: `main...${branch}`,
          })
        ).data.status,
      ).toBe('identical');
      await octokit.rest.git.deleteRef({ ...at, ref: `heads/${branch}` });
    }
    for (const branch of [
      'HEAD',
      'a..b',
      'x.lock',
      'a b',
      'a~1',
      '.hidden',
      'a//b',
      'x/',
      '@{-1}',
      'a\\b',
      'tab\t',
    ]) {
      const refused = await failure(
        octokit.rest.git.createRef({ ...at, ref: `refs/heads/${branch}`, sha }),
      );
      expect([branch, refused.status]).toEqual([branch, 422]);
    }
  });

  test('commits by page, path and date; one commit; comparison with patches', async () => {
    await git(work, 'checkout', '-q', 'main');
    for (const number of [1, 2, 3])
      await commit(work, { 'log.txt': `${number}\n` }, `commit ${number}`);
    await git(work, 'push', '-q', 'origin', 'main');
    const { data: all, headers } = await octokit.rest.repos.listCommits({ ...at, per_page: 2 });
    expect(all.map((one) => one.commit.message)).toEqual(['commit 3', 'commit 2']);
    expect(headers.link).toContain('rel="next"');
    const messages = await octokit.paginate(
      octokit.rest.repos.listCommits,
      { ...at, per_page: 1 },
      (page) => page.data.map((one) => one.commit.message),
    );
    expect(messages).toEqual(['commit 3', 'commit 2', 'commit 1', 'first commit']);
    expect((await octokit.rest.repos.listCommits({ ...at, path: 'README.md' })).data).toHaveLength(
      1,
    );
    expect(
      (await octokit.rest.repos.listCommits({ ...at, until: '2001-01-01T00:00:00Z' })).data,
    ).toEqual([]);
    const { data: one } = await octokit.rest.repos.getCommit({ ...at, ref: 'main' });
    expect(one.author).toMatchObject({ login: 'local' });
    expect(one.files).toMatchObject([
      {
        filename: 'log.txt',
        status: 'modified',
        additions: 1,
        deletions: 1,
        patch: '@@ -1 +1 @@\n-2\n+3',
      },
    ]);
    const missing = await failure(octokit.rest.repos.getCommit({ ...at, ref: 'nothing' }));
    expect(missing).toMatchObject({
      status: 422,
      data: { message: 'No commit found for SHA: nothing' },
    });
    const root = await octokit.rest.repos.getCommit({
      ...at,
      ref: await git(work, 'rev-list', '--max-parents=0', 'main'),
    });
    expect(root.data.files?.map((file) => file.status)).toEqual(['added', 'added']);
  });

  test('renames, binary, large and mode changes in a pull request', async () => {
    await pushedBranch(work, 'kinds', {
      'big.txt': 'x'.repeat(100).concat('\n').repeat(30_000),
      'image.bin': Buffer.from([0, 1, 2, 0, 255]),
      'späce ü.txt': 'ü\n',
      'sub/no-newline.txt': 'end',
    });
    await git(work, 'mv', 'README.md', 'docs.md');
    await git(work, 'rm', '-q', 'src/a.txt');
    await commit(work, {}, 'move');
    await git(work, 'push', '-q', 'origin', 'kinds');
    const { data: made } = await octokit.rest.pulls.create({
      ...at,
      title: 'kinds',
      head: 'kinds',
      base: 'main',
    });
    const { data } = await octokit.rest.pulls.listFiles({
      ...at,
      pull_number: made.number,
      per_page: 100,
    });
    const file = (name: string) => data.find((one) => one.filename === name);
    expect(data).toHaveLength(6);
    expect(file('docs.md')).toMatchObject({
      status: 'renamed',
      previous_filename: 'README.md',
      changes: 0,
    });
    expect(file('image.bin')).toMatchObject({ status: 'added', additions: 0 });
    expect(file('image.bin')?.patch).toBeUndefined();
    expect(file('big.txt')).toMatchObject({ additions: 30_000 });
    expect(file('big.txt')?.patch).toBeUndefined();
    expect(file('src/a.txt')).toMatchObject({ status: 'removed', deletions: 3 });
    expect(file('späce ü.txt')?.patch).toBe('@@ -0,0 +1 @@\n+ü');
    expect(file('sub/no-newline.txt')?.patch).toContain('No newline at end of file');
    const { data: comparison } = await octokit.rest.repos.compareCommitsWithBasehead({
      ...at,
      basehead: 'main...kinds',
    });
    expect(comparison).toMatchObject({
      status: 'ahead',
      ahead_by: 2,
      behind_by: 0,
      total_commits: 2,
    });
    expect(comparison.files).toHaveLength(6);
    const diff = await octokit.rest.pulls.get({
      ...at,
      pull_number: made.number,
      mediaType: { format: 'diff' },
    });
    expect(diff.data).toContain('rename from README.md');
  });
});

describe('contents and objects', () => {
  test('files, folders, links, raw, blobs, trees', async () => {
    const { symlink } = await import('node:fs/promises');
    await git(work, 'checkout', '-q', 'main');
    await symlink('../etc/passwd', `${work}/link`);
    await commit(work, { 'dir/x y.txt': 'hello\n', 'large.txt': 'a'.repeat(1_100_000) }, 'files');
    await git(work, 'push', '-q', 'origin', 'main');
    const content = async (path: string, ref?: string) =>
      (await octokit.rest.repos.getContent({ ...at, path, ...(ref === undefined ? {} : { ref }) }))
        .data;
    expect(await content('')).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'dir', type: 'dir' })]),
    );
    expect(await content('dir')).toMatchObject([{ path: 'dir/x y.txt', type: 'file', size: 6 }]);
    expect(await content('dir/x y.txt', 'main')).toMatchObject({
      content: 'aGVsbG8K\n',
      encoding: 'base64',
    });
    expect(await content('link')).toMatchObject({ type: 'symlink', target: '../etc/passwd' });
    expect(await content('large.txt')).toMatchObject({
      encoding: 'none',
      content: '',
      size: 1_100_000,
    });
    const raw = await octokit.rest.repos.getContent({
      ...at,
      path: 'dir/x y.txt',
      mediaType: { format: 'raw' },
    });
    expect(raw.data).toBe('hello\n');
    for (const path of ['nope', 'dir/nope', 'dir/x y.txt/deeper', 'link/x', '*', 'd?r'])
      expect((await failure(octokit.rest.repos.getContent({ ...at, path }))).status).toBe(404);
    expect(
      (await failure(octokit.rest.repos.getContent({ ...at, path: 'dir', ref: 'nope' }))).status,
    ).toBe(404);
    const { data: tree } = await octokit.rest.git.getTree({
      ...at,
      tree_sha: 'main',
      recursive: 'true',
    });
    expect(tree.tree.map((entry) => entry.path)).toContain('dir/x y.txt');
    const { data: blob } = await octokit.rest.git.createBlob({
      ...at,
      content: Buffer.from([0, 255]).toString('base64'),
      encoding: 'base64',
    });
    expect((await octokit.rest.git.getBlob({ ...at, file_sha: blob.sha })).data).toMatchObject({
      content: 'AP8=',
      size: 2,
    });
    expect(
      (await failure(octokit.rest.git.getBlob({ ...at, file_sha: 'a'.repeat(40) }))).status,
    ).toBe(404);
    const commitSha = await git(work, 'rev-parse', 'main');
    expect((await octokit.rest.git.getCommit({ ...at, commit_sha: commitSha })).data.message).toBe(
      'files',
    );
  });
});

describe('issues, comments, labels', () => {
  test('an issue from open to closed', async () => {
    const { data: issue } = await octokit.rest.issues.create({
      ...at,
      title: 'Bug',
      body: 'b',
      labels: ['bug'],
      assignees: ['local'],
    });
    expect(issue).toMatchObject({
      state: 'open',
      labels: [{ name: 'bug' }],
      assignees: [{ login: 'local' }],
    });
    const issue_number = issue.number;
    const { data: comment } = await octokit.rest.issues.createComment({
      ...at,
      issue_number,
      body: 'hello',
    });
    await octokit.rest.issues.updateComment({ ...at, comment_id: comment.id, body: 'hello again' });
    expect(
      (await octokit.rest.issues.listComments({ ...at, issue_number })).data.map((one) => one.body),
    ).toEqual(['hello again']);
    expect(
      (await octokit.rest.issues.getComment({ ...at, comment_id: comment.id })).data.body,
    ).toBe('hello again');
    expect((await octokit.rest.issues.listCommentsForRepo(at)).data).toHaveLength(1);
    await octokit.rest.issues.addLabels({ ...at, issue_number, labels: ['later'] });
    expect(
      (await octokit.rest.issues.listLabelsOnIssue({ ...at, issue_number })).data.map(
        (one) => one.name,
      ),
    ).toEqual(['bug', 'later']);
    await octokit.rest.issues.removeLabel({ ...at, issue_number, name: 'later' });
    await octokit.rest.issues.setLabels({ ...at, issue_number, labels: ['x'] });
    expect((await octokit.rest.issues.listForRepo({ ...at, labels: 'x' })).data).toHaveLength(1);
    await octokit.rest.issues.removeAllLabels({ ...at, issue_number });
    await octokit.rest.issues.createLabel({
      ...at,
      name: 'made',
      color: 'ff0000',
      description: 'd',
    });
    expect((await failure(octokit.rest.issues.createLabel({ ...at, name: 'made' }))).status).toBe(
      422,
    );
    expect((await octokit.rest.issues.getLabel({ ...at, name: 'made' })).data.color).toBe('ff0000');
    expect((await octokit.rest.issues.listLabelsForRepo(at)).data.length).toBe(4);
    await octokit.rest.issues.deleteLabel({ ...at, name: 'made' });
    const { data: closed } = await octokit.rest.issues.update({
      ...at,
      issue_number,
      state: 'closed',
      title: 'Bug!',
    });
    expect(closed).toMatchObject({
      state: 'closed',
      state_reason: 'completed',
      title: 'Bug!',
      comments: 1,
    });
    expect((await octokit.rest.issues.get({ ...at, issue_number })).data.closed_at).not.toBeNull();
    await octokit.rest.issues.deleteComment({ ...at, comment_id: comment.id });
    expect(
      (await failure(octokit.rest.issues.getComment({ ...at, comment_id: comment.id }))).status,
    ).toBe(404);
  });

  test('pages, sorting, and a pull request is an issue too', async () => {
    for (const number of [1, 2, 3, 4, 5])
      await octokit.rest.issues.create({ ...at, title: `Issue ${number}` });
    const first = await octokit.rest.issues.listForRepo({ ...at, per_page: 2, direction: 'asc' });
    expect(first.headers.link).toMatch(/page=2.*rel="next".*rel="last"/);
    const all = await octokit.paginate(octokit.rest.issues.listForRepo, {
      ...at,
      per_page: 2,
      state: 'all',
    });
    expect(new Set(all.map((one) => one.number)).size).toBe(all.length);
    expect(all.filter((one) => one.pull_request !== undefined)).toHaveLength(1);
  });
});

describe('reviews, statuses, checks', () => {
  test('reviews and comments on lines', async () => {
    const { number: pull_number } = (await octokit.rest.pulls.list(at)).data[0] ?? { number: 0 };
    const on = { ...at, pull_number };
    expect(
      (await failure(octokit.rest.pulls.createReview({ ...on, event: 'APPROVE' }))).status,
    ).toBe(422);
    const { data: review } = await octokit.rest.pulls.createReview({
      ...on,
      event: 'COMMENT',
      body: 'nice',
      comments: [{ path: 'späce ü.txt', line: 1, body: 'why ü?' }],
    });
    expect(review).toMatchObject({ state: 'COMMENTED', body: 'nice' });
    expect((await octokit.rest.pulls.listReviews(on)).data).toHaveLength(1);
    expect((await octokit.rest.pulls.getReview({ ...on, review_id: review.id })).data.id).toBe(
      review.id,
    );
    expect(
      (await octokit.rest.pulls.listCommentsForReview({ ...on, review_id: review.id })).data,
    ).toMatchObject([{ body: 'why ü?' }]);
    const commit_id = (await octokit.rest.pulls.get(on)).data.head.sha;
    const { data: comment } = await octokit.rest.pulls.createReviewComment({
      ...on,
      commit_id,
      path: 'späce ü.txt',
      line: 1,
      side: 'RIGHT',
      body: 'second',
    });
    expect(comment).toMatchObject({ line: 1, diff_hunk: '@@ -0,0 +1 @@\n+ü' });
    const { data: answer } = await octokit.rest.pulls.createReplyForReviewComment({
      ...on,
      comment_id: comment.id,
      body: 'third',
    });
    expect(answer.in_reply_to_id).toBe(comment.id);
    await octokit.rest.pulls.updateReviewComment({ ...at, comment_id: answer.id, body: '3rd' });
    expect((await octokit.rest.pulls.listReviewComments(on)).data.map((one) => one.body)).toEqual([
      'why ü?',
      'second',
      '3rd',
    ]);
    await octokit.rest.pulls.deleteReviewComment({ ...at, comment_id: answer.id });
    const outside = { ...on, commit_id, path: 'späce ü.txt', line: 99, body: 'x' };
    expect((await failure(octokit.rest.pulls.createReviewComment(outside))).status).toBe(422);
    expect(
      (await octokit.rest.pulls.requestReviewers({ ...on, reviewers: ['grace'] })).data
        .requested_reviewers,
    ).toMatchObject([{ login: 'grace' }]);
    expect((await octokit.rest.pulls.listRequestedReviewers(on)).data.users).toHaveLength(1);
    expect(
      (await failure(octokit.rest.pulls.requestReviewers({ ...on, reviewers: ['local'] }))).status,
    ).toBe(422);
    await octokit.rest.pulls.removeRequestedReviewers({ ...on, reviewers: ['grace'] });
    const pending = await octokit.rest.pulls.createReview({ ...on, body: 'later' });
    expect(pending.data.state).toBe('PENDING');
    const sent = await octokit.rest.pulls.submitReview({
      ...on,
      review_id: pending.data.id,
      event: 'COMMENT',
    });
    expect(sent.data.state).toBe('COMMENTED');
  });

  test('statuses and check runs', async () => {
    const sha = await git(work, 'rev-parse', 'main');
    expect(
      (await octokit.rest.repos.getCombinedStatusForRef({ ...at, ref: 'main' })).data.state,
    ).toBe('pending');
    const status = (context: string, state: 'success' | 'failure') =>
      octokit.rest.repos.createCommitStatus({
        ...at,
        sha,
        state,
        context,
        description: 'd',
        target_url: 'https://example.com/1',
      });
    await status('ci', 'failure');
    await status('ci', 'success');
    await status('lint', 'success');
    const { data } = await octokit.rest.repos.getCombinedStatusForRef({ ...at, ref: 'main' });
    expect(data).toMatchObject({ state: 'success', total_count: 2 });
    expect(
      (await octokit.rest.repos.listCommitStatusesForRef({ ...at, ref: sha })).data,
    ).toHaveLength(3);
    const { data: run } = await octokit.rest.checks.create({
      ...at,
      name: 'test',
      head_sha: sha,
      status: 'in_progress',
    });
    const done = await octokit.rest.checks.update({
      ...at,
      check_run_id: run.id,
      conclusion: 'failure',
      output: { title: 't', summary: 's' },
    });
    expect(done.data).toMatchObject({
      status: 'completed',
      conclusion: 'failure',
      output: { title: 't' },
    });
    expect((await octokit.rest.checks.get({ ...at, check_run_id: run.id })).data.conclusion).toBe(
      'failure',
    );
    expect((await octokit.rest.checks.listForRef({ ...at, ref: 'main' })).data.total_count).toBe(1);
    expect(
      (await octokit.rest.repos.listPullRequestsAssociatedWithCommit({ ...at, commit_sha: sha }))
        .data,
    ).toEqual([]);
  });
});

describe('protocol details', () => {
  test('an unchanged answer is a 304', async () => {
    const first = await forge.fetch('/repos/local/app/pulls');
    const etag = first.headers.get('etag') ?? '';
    const second = await forge.fetch('/repos/local/app/pulls', {
      headers: { 'if-none-match': etag },
    });
    expect(second.status).toBe(304);
  });

  test('GraphQL: queries, and errors in GitHub’s shape', async () => {
    const { number } = (await octokit.rest.pulls.list(at)).data[0] ?? { number: 0 };
    const query = `query($owner: String!, $repo: String!, $number: Int!) { viewer { login }
      repository(owner: $owner, name: $repo) { nameWithOwner defaultBranchRef { name }
        pullRequest(number: $number) { id isDraft state mergeable headRefName author { login } } } }`;
    expect(await octokit.graphql(query, { ...at, number })).toMatchObject({
      viewer: { login: 'local' },
      repository: {
        nameWithOwner: 'local/app',
        pullRequest: {
          isDraft: false,
          state: 'OPEN',
          mergeable: 'MERGEABLE',
          headRefName: 'kinds',
        },
      },
    });
    await expect(octokit.graphql(query, { ...at, repo: 'none', number })).rejects.toMatchObject({
      errors: [{ type: 'NOT_FOUND', path: ['repository'] }],
    });
    await expect(octokit.graphql('{ nonsense }')).rejects.toMatchObject({
      errors: [{ message: expect.stringContaining('nonsense') as string }],
    });
    await expect(octokit.graphql(`{ ${'viewer { login } '.repeat(1000)} }`)).rejects.toThrow(
      /token/i,
    );
    const mutation =
      'mutation { markPullRequestReadyForReview(input: {pullRequestId: "PR_bm9uZQ"}) { pullRequest { id } } }';
    await expect(octokit.graphql(mutation)).rejects.toMatchObject({
      errors: [{ type: 'NOT_FOUND' }],
    });
  });

  test('Octokit with nothing but the URL', async () => {
    const plain = new Octokit({ baseUrl: forge.apiUrl });
    expect((await plain.rest.users.getAuthenticated()).data.login).toBe('local');
    const { data: issue } = await plain.rest.issues.create({ ...at, title: 'plain' });
    expect((await plain.rest.issues.get({ ...at, issue_number: issue.number })).data.title).toBe(
      'plain',
    );
  });

  test('broken JSON is a 400, an unknown path a 404', async () => {
    const broken = await forge.fetch('/repos/local/app/issues', { method: 'POST', body: '{' });
    expect([broken.status, await broken.json()]).toMatchObject([
      400,
      { message: 'Problems parsing JSON' },
    ]);
    expect((await forge.fetch('/repos/local/app/nothing')).status).toBe(404);
    expect(verdicts.checked).toBeGreaterThan(100);
    expect(forge.log).toEqual([]);
  });
});
