import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { temporaryFolder, testForge, type TestForge } from './support/forge.ts';
import { commit, git, seeded } from './support/git.ts';

let forge: TestForge;
const at = { owner: 'local', repo: 'app' };

beforeAll(async () => {
  forge = await testForge();
  return () => forge.close();
});

test('8 concurrent clients push and merge: nothing is lost', async () => {
  const octokit = forge.octokit();
  await octokit.rest.repos.createForAuthenticatedUser({ name: 'app' });
  const base = await temporaryFolder();
  const work = await seeded(base, forge.gitUrl, 'local/app');
  const methods = ['merge', 'squash', 'rebase'] as const;
  const merged = await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const branch = `worker-${index}`;
      const copy = join(base, branch);
      await git(base, 'clone', '-q', '--local', work, copy);
      await git(copy, 'checkout', '-q', '-b', branch);
      await commit(copy, { [`${branch}.txt`]: '1\n' }, `${branch} 1`);
      await git(copy, 'push', '-q', `${forge.gitUrl}/local/app.git`, branch);
      const { data: pull } = await octokit.rest.pulls.create({
        ...at,
        title: branch,
        head: branch,
        base: 'main',
        draft: index % 2 === 0,
      });
      const sha = await commit(copy, { [`${branch}.txt`]: '1\n2\n' }, `${branch} 2`);
      await git(copy, 'push', '-q', `${forge.gitUrl}/local/app.git`, branch);
      const ready =
        'mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { isDraft } } }';
      await octokit.graphql(ready, { id: pull.node_id });
      const method = methods[index % 3] ?? 'merge';
      return (
        await octokit.rest.pulls.merge({
          ...at,
          pull_number: pull.number,
          merge_method: method,
          sha,
        })
      ).data.sha;
    }),
  );
  const bare = join(forge.root, 'local/app.git');
  const history = (await git(bare, 'rev-list', 'main')).split('\n');
  for (const [index, sha] of merged.entries()) {
    expect(history).toContain(sha);
    expect(await git(bare, 'show', `main:worker-${index}.txt`)).toBe('1\n2');
  }
  const { data: pulls } = await octokit.rest.pulls.list({ ...at, state: 'all' });
  expect(pulls.map((pull) => pull.merged_at !== null)).toEqual(
    Array.from({ length: 8 }, () => true),
  );
  expect(new Set(pulls.map((pull) => pull.number)).size).toBe(8);
  expect(await git(bare, 'fsck', '--no-dangling', '--connectivity-only')).toBe('');
});

test('merges race with pushes to the base: the base ends up with all commits of both', async () => {
  const octokit = forge.octokit();
  await octokit.rest.repos.createForAuthenticatedUser({ name: 'busy' });
  const on = { owner: 'local', repo: 'busy' };
  const base = await temporaryFolder();
  const work = await seeded(base, forge.gitUrl, 'local/busy');
  const url = `${forge.gitUrl}/local/busy.git`;
  const numbers: number[] = [];
  for (const index of [0, 1, 2, 3]) {
    await git(work, 'checkout', '-q', '-B', `topic-${index}`, 'main');
    await commit(work, { [`topic-${index}.txt`]: 'x\n' });
    await git(work, 'push', '-q', 'origin', `topic-${index}`);
    numbers.push(
      (await octokit.rest.pulls.create({ ...on, title: 't', head: `topic-${index}`, base: 'main' }))
        .data.number,
    );
  }
  const pusher = join(base, 'pusher');
  await git(base, 'clone', '-q', url, pusher);
  const pushes = (async () => {
    for (const index of [0, 1, 2, 3, 4]) {
      await commit(pusher, { [`push-${index}.txt`]: 'x\n' }, `push ${index}`);
      for (let tries = 0; tries < 20; tries += 1) {
        try {
          await git(pusher, 'push', '-q', 'origin', 'main');
          break;
        } catch {
          await git(pusher, 'pull', '-q', '--rebase', 'origin', 'main');
        }
      }
    }
  })();
  await Promise.all([
    pushes,
    ...numbers.map((pull_number) => octokit.rest.pulls.merge({ ...on, pull_number })),
  ]);
  const files = await git(join(forge.root, 'local/busy.git'), 'ls-tree', '--name-only', 'main');
  for (const name of [0, 1, 2, 3]) expect(files).toContain(`topic-${name}.txt`);
  for (const name of [0, 1, 2, 3, 4]) expect(files).toContain(`push-${name}.txt`);
});
