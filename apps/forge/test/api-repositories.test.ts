import { Agent, get } from 'node:http';
import { describe, expect, test } from 'vitest';
import { Octokit } from 'octokit';
import { apiWorldWithPull, at } from './support/api-world.ts';
import { failure, verdicts } from './support/forge.ts';
import { git } from './support/git.ts';

const world = apiWorldWithPull();

describe('repositories and users', () => {
  test('current user, limits, meta, repository, lists', async () => {
    const user = await world.octokit.rest.users.getAuthenticated();
    expect(user.data).toMatchObject({ login: 'local', name: 'Ada', email: 'ada@example.com' });
    expect(user.headers['x-ratelimit-remaining']).toMatch(/^\d+$/);
    expect((await world.octokit.rest.rateLimit.get()).data.rate.remaining).toBeGreaterThan(1000);
    await world.octokit.rest.meta.get();
    expect((await world.octokit.rest.repos.get(at)).data).toMatchObject({
      full_name: 'local/app',
      default_branch: 'main',
      clone_url: `${world.forge.gitUrl}/local/app.git`,
      permissions: { push: true },
    });
    expect((await world.octokit.rest.repos.get({ owner: 'LOCAL', repo: 'App' })).data.id).toBe(1);
    expect((await world.octokit.rest.repos.listForAuthenticatedUser()).data).toHaveLength(1);
    expect((await world.octokit.rest.repos.listForUser({ username: 'local' })).data).toHaveLength(
      1,
    );
    expect(
      (await world.octokit.rest.repos.createInOrg({ org: 'team', name: 'other' })).data.owner.login,
    ).toBe('team');
    expect((await world.octokit.rest.repos.listForOrg({ org: 'team' })).data).toHaveLength(1);
    await world.octokit.rest.repos.delete({ owner: 'team', repo: 'other' });
    expect(
      (await failure(world.octokit.rest.repos.get({ owner: 'team', repo: 'other' }))).status,
    ).toBe(404);
  });

  test('a taken or invalid name is a 422; an unknown repository a 404', async () => {
    const create = (name: string) =>
      failure(world.octokit.rest.repos.createForAuthenticatedUser({ name }));
    expect((await create('app')).data['errors']).toMatchObject([
      { message: 'name already exists on this account' },
    ]);
    for (const name of ['..', '../x', '.git', 'a b', '-x', 'x.git'])
      expect((await create(name)).status).toBe(422);
    expect(await failure(world.octokit.rest.repos.get({ ...at, repo: 'none' }))).toMatchObject({
      status: 404,
      data: { message: 'Not Found', documentation_url: expect.any(String) as string },
    });
  });

  test('an empty repository', async () => {
    await world.octokit.rest.repos.createForAuthenticatedUser({ name: 'empty' });
    const empty = { owner: 'local', repo: 'empty' };
    expect((await world.octokit.rest.repos.listBranches(empty)).data).toEqual([]);
    expect((await failure(world.octokit.rest.repos.listCommits(empty))).status).toBe(409);
    expect(
      (await failure(world.octokit.rest.repos.getContent({ ...empty, path: '' }))).status,
    ).toBe(404);
    expect((await world.octokit.rest.pulls.list(empty)).data).toEqual([]);
    // 0 while the size is unknown; positive once there are commits.
    expect((await world.octokit.rest.repos.get(empty)).data.size).toBe(0);
    expect((await world.octokit.rest.repos.get(at)).data.size).toBeGreaterThan(0);
  });

  test('the default branch follows the first push, a rename, and an explicit choice', async () => {
    const on = { owner: 'local', repo: 'renamed' };
    await world.octokit.rest.repos.createForAuthenticatedUser({ name: 'renamed' });
    const url = `${world.forge.gitUrl}/local/renamed.git`;
    const head = async () =>
      (await git(world.work, 'ls-remote', '--symref', url, 'HEAD')).split('\t')[0];
    await git(world.work, 'push', '-q', url, 'main:master');
    expect((await world.octokit.rest.repos.get(on)).data.default_branch).toBe('master');
    expect(await head()).toBe('ref: refs/heads/master');
    await git(world.work, 'push', '-q', url, 'main:trunk');
    await world.octokit.rest.repos.update({ ...on, default_branch: 'trunk' });
    expect(await head()).toBe('ref: refs/heads/trunk');
    await git(world.work, 'push', '-q', url, ':master');
    expect(
      (await failure(world.octokit.rest.repos.update({ ...on, default_branch: 'none' }))).status,
    ).toBe(422);
  });

  test('an archived repository is read-only until it is unarchived', async () => {
    await world.octokit.rest.repos.update({ ...at, archived: true });
    expect((await failure(world.octokit.rest.issues.create({ ...at, title: 'x' }))).status).toBe(
      403,
    );
    await world.octokit.rest.repos.update({ ...at, archived: false });
  });
});

describe('protocol details', () => {
  test('idle connections stay open longer than clients keep them', async () => {
    const { apiUrl } = world.forge;
    const connection = new Agent({ keepAlive: true });
    const header = await new Promise<string>((resolve, reject) => {
      get(`${apiUrl}/meta`, { agent: connection }, (answer) => {
        answer.resume();
        resolve(String(answer.headers['keep-alive']));
      }).once('error', reject);
    });
    connection.destroy();
    expect(header).toBe('timeout=75');
  });

  test('an unchanged response is a 304', async () => {
    const first = await world.forge.fetch('/repos/local/app/pulls');
    const etag = first.headers.get('etag') ?? '';
    const second = await world.forge.fetch('/repos/local/app/pulls', {
      headers: { 'if-none-match': etag },
    });
    expect(second.status).toBe(304);
  });

  test('GraphQL: queries, and errors in GitHub’s shape', async () => {
    const { number } = (await world.octokit.rest.pulls.list(at)).data[0] ?? { number: 0 };
    const query = `query($owner: String!, $repo: String!, $number: Int!) { viewer { login }
      repository(owner: $owner, name: $repo) { nameWithOwner defaultBranchRef { name }
        pullRequest(number: $number) { id isDraft state mergeable headRefName author { login } } } }`;
    expect(await world.octokit.graphql(query, { ...at, number })).toMatchObject({
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
    await expect(
      world.octokit.graphql(query, { ...at, repo: 'none', number }),
    ).rejects.toMatchObject({
      errors: [{ type: 'NOT_FOUND', path: ['repository'] }],
    });
    await expect(world.octokit.graphql('{ nonsense }')).rejects.toMatchObject({
      errors: [{ message: expect.stringContaining('nonsense') as string }],
    });
    await expect(world.octokit.graphql(`{ ${'viewer { login } '.repeat(1000)} }`)).rejects.toThrow(
      /token/i,
    );
    const mutation =
      'mutation { markPullRequestReadyForReview(input: {pullRequestId: "PR_bm9uZQ"}) { pullRequest { id } } }';
    await expect(world.octokit.graphql(mutation)).rejects.toMatchObject({
      errors: [{ type: 'NOT_FOUND' }],
    });
  });

  test('Octokit with nothing but the URL', async () => {
    const plain = new Octokit({ baseUrl: world.forge.apiUrl });
    expect((await plain.rest.users.getAuthenticated()).data.login).toBe('local');
    const { data: issue } = await plain.rest.issues.create({ ...at, title: 'plain' });
    expect((await plain.rest.issues.get({ ...at, issue_number: issue.number })).data.title).toBe(
      'plain',
    );
  });

  test('broken JSON is a 400, an unknown path a 404', async () => {
    const broken = await world.forge.fetch('/repos/local/app/issues', {
      method: 'POST',
      body: '{',
    });
    expect([broken.status, await broken.json()]).toMatchObject([
      400,
      { message: 'Problems parsing JSON' },
    ]);
    expect((await world.forge.fetch('/repos/local/app/nothing')).status).toBe(404);
    expect(verdicts.checked).toBeGreaterThan(30);
    expect(world.forge.log).toEqual([]);
  });
});
