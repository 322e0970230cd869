import { describe, expect, test } from 'vitest';
import { apiWorld, at } from './support/api-world.ts';
import { failure, temporaryFolder } from './support/forge.ts';
import { commit, git } from './support/git.ts';

const world = apiWorld();
const encoded = (text: string) => Buffer.from(text).toString('base64');

const put = (path: string, text: string, more: Record<string, string> = {}) =>
  world.octokit.rest.repos.createOrUpdateFileContents({
    ...at,
    path,
    message: `write ${path}`,
    content: encoded(text),
    ...more,
  });
const shown = async (path: string, ref = 'main') => {
  await git(world.work, 'fetch', '-q', 'origin');
  return git(world.work, 'show', `origin/${ref}:${path}`);
};

const refused = async (call: Promise<unknown>) => (await failure(call)).status;
const remove = (path: string, sha: string) =>
  world.octokit.rest.repos.deleteFile({ ...at, path, message: 'm', sha });

describe('files written through the API', () => {
  test('[CT1] a file is created, replaced and deleted, each with one commit', async () => {
    const { octokit } = world;
    const made = await put('docs/späce ü.md', 'one\n');
    expect(made.status).toBe(201);
    expect(made.data.content).toMatchObject({ path: 'docs/späce ü.md', size: 4 });
    expect(await shown('docs/späce ü.md')).toBe('one');
    const sha = made.data.content?.sha ?? '';
    const replaced = await put('docs/späce ü.md', 'two\n', { sha });
    expect(replaced.status).toBe(200);
    expect(await shown('docs/späce ü.md')).toBe('two');
    expect(replaced.data.commit.parents).toMatchObject([{ sha: made.data.commit.sha }]);
    const removed = await octokit.rest.repos.deleteFile({
      ...at,
      path: 'docs/späce ü.md',
      message: 'gone',
      sha: replaced.data.content?.sha ?? '',
      committer: { name: 'Grace', email: 'grace@example.com' },
    });
    expect(removed.data.content).toBeNull();
    await git(world.work, 'fetch', '-q', 'origin');
    expect(await git(world.work, 'log', '-1', '--format=%an %cn %s', 'origin/main')).toBe(
      'Grace Grace gone',
    );
    expect(await git(world.work, 'ls-tree', '--name-only', 'origin/main')).not.toContain('docs');
  });

  test('[CT1] on another branch; the mode and other files stay unchanged', async () => {
    const { octokit, work } = world;
    await git(work, 'fetch', '-q', 'origin');
    await git(work, 'checkout', '-q', '-B', 'tool', 'origin/main');
    await commit(work, { 'run.sh': '#!/bin/sh\n' });
    await git(work, 'update-index', '--chmod=+x', 'run.sh');
    await git(work, 'commit', '-qm', 'executable');
    await git(work, 'push', '-q', 'origin', 'tool');
    const { data } = await octokit.rest.repos.getContent({ ...at, path: 'run.sh', ref: 'tool' });
    const { sha } = data as { sha: string };
    await put('run.sh', '#!/bin/sh\nexit 0\n', { branch: 'tool', sha });
    expect(await shown('run.sh', 'tool')).toContain('exit 0');
    expect(await git(work, 'ls-tree', 'origin/tool', 'run.sh')).toMatch(/^100755 /);
    expect(await shown('README.md', 'tool')).toBe('# app');
  });

  test('[CT1] a file that changed since the client read it is not overwritten', async () => {
    expect(await refused(put('README.md', 'x'))).toBe(422);
    expect(await refused(put('README.md', 'x', { sha: 'a'.repeat(40) }))).toBe(409);
    expect(await refused(put('none.md', 'x', { sha: 'a'.repeat(40) }))).toBe(409);
    expect(await refused(remove('README.md', 'a'.repeat(40)))).toBe(409);
    expect(await refused(remove('none.md', 'a'.repeat(40)))).toBe(404);
    expect(await shown('README.md')).toBe('# app');
  });

  test('[CT1] invalid paths and invalid content are refused', async () => {
    const paths = ['src', 'README.md/x', '.git/config', 'a/.GIT/hooks/x', 'src/a.txt/b'];
    const statuses = await Promise.all(paths.map((path) => refused(put(path, 'x'))));
    expect(statuses).toEqual(paths.map(() => 422));
    const base = { ...at, path: 'x.md', message: 'm' };
    for (const content of ['not base64!', 'a'])
      expect(
        (await failure(world.octokit.rest.repos.createOrUpdateFileContents({ ...base, content })))
          .status,
      ).toBe(422);
    expect((await failure(put('x.md', 'x', { branch: 'none' }))).status).toBe(404);
    expect((await failure(put('x.md', 'x', { branch: '../x' }))).status).toBe(404);
  });

  test('[CT2] the first file of an empty repository creates its default branch', async () => {
    const { octokit } = world;
    await octokit.rest.repos.createForAuthenticatedUser({ name: 'blank' });
    const blank = { owner: 'local', repo: 'blank', message: 'first' };
    const content = encoded('hello\n');
    const input = { ...blank, path: 'README.md', content };
    expect((await octokit.rest.repos.createOrUpdateFileContents(input)).status).toBe(201);
    const { data } = await octokit.rest.repos.getContent({ ...blank, path: 'README.md' });
    expect(data).toMatchObject({ content: `${content}\n` });
  });

  test('[CT2] concurrent writes: the branch ends up with all of them', async () => {
    const names = Array.from({ length: 4 }, (_, index) => `many/${index}.txt`);
    await Promise.all(names.map((name) => put(name, name)));
    await git(world.work, 'fetch', '-q', 'origin');
    const files = await git(world.work, 'ls-tree', '-r', '--name-only', 'origin/main', 'many/');
    expect(files.split('\n')).toEqual(names);
  });

  test('[CT2] a protected branch and a checked-out branch stay unchanged', async () => {
    const { octokit, forge } = world;
    const { data: main } = await octokit.rest.git.getRef({ ...at, ref: 'heads/main' });
    const { sha } = main.object;
    await octokit.rest.git.createRef({ ...at, ref: 'refs/heads/safe', sha });
    await forge.fetch('/repos/local/app/branches/safe/protection', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        required_status_checks: null,
        enforce_admins: true,
        required_pull_request_reviews: { required_approving_review_count: 1 },
        restrictions: null,
      }),
    });
    expect((await failure(put('x.md', 'x', { branch: 'safe' }))).status).toBe(422);
    const folder = await temporaryFolder();
    await git(folder, 'init', '-q', '-b', 'main');
    await commit(folder, { a: '1' });
    await octokit.request('POST /ship/repositories', { path: folder, name: 'mine' });
    const input = { owner: 'local', repo: 'mine', message: 'm', content: encoded('x') };
    const { status, data } = await failure(
      octokit.rest.repos.createOrUpdateFileContents({ ...input, path: 'b' }),
    );
    expect(status).toBe(422);
    expect(JSON.stringify(data)).toContain('checked out');
    expect(await git(folder, 'status', '--porcelain')).toBe('');
  });
});
