import { describe, expect, test } from 'vitest';
import { apiWorld, at } from './support/api-world.ts';
import { failure } from './support/forge.ts';
import { commit, git, pushedBranch } from './support/git.ts';

const world = apiWorld();

describe('branches, refs, commits', () => {
  test('refs are created, moved, found and deleted', async () => {
    const first = await git(world.work, 'rev-parse', 'main');
    const made = await world.octokit.rest.git.createRef({
      ...at,
      ref: 'refs/heads/topic/one',
      sha: first,
    });
    expect(made.data.object).toMatchObject({ type: 'commit', sha: first });
    expect((await world.octokit.rest.git.getRef({ ...at, ref: 'heads/topic/one' })).data.ref).toBe(
      'refs/heads/topic/one',
    );
    const again = await failure(
      world.octokit.rest.git.createRef({ ...at, ref: 'refs/heads/topic/one', sha: first }),
    );
    expect(again).toMatchObject({ status: 422, data: { message: 'Reference already exists' } });
    const clash = await failure(
      world.octokit.rest.git.createRef({ ...at, ref: 'refs/heads/topic', sha: first }),
    );
    expect(clash.status).toBe(422);
    expect(clash.data['message']).toContain("'refs/heads/topic/one' exists");
    const { data: tree } = await world.octokit.rest.git.createTree({
      ...at,
      base_tree: first,
      tree: [{ path: 'made/by api.txt', mode: '100644', type: 'blob', content: 'hello' }],
    });
    const { data: next } = await world.octokit.rest.git.createCommit({
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
    await world.octokit.rest.git.updateRef({ ...at, ref: 'heads/topic/one', sha: next.sha });
    const back = { ...at, ref: 'heads/topic/one', sha: first };
    expect((await failure(world.octokit.rest.git.updateRef(back))).data['message']).toBe(
      'Update is not a fast forward',
    );
    await world.octokit.rest.git.updateRef({ ...back, force: true });
    const { data: matching } = await world.octokit.rest.git.listMatchingRefs({
      ...at,
      ref: 'heads/topic',
    });
    expect(matching.map((ref) => ref.ref)).toEqual(['refs/heads/topic/one']);
    await world.octokit.rest.git.deleteRef({ ...at, ref: 'heads/topic/one' });
    expect(
      (await failure(world.octokit.rest.git.deleteRef({ ...at, ref: 'heads/topic/one' }))).status,
    ).toBe(422);
    expect(
      (await failure(world.octokit.rest.git.deleteRef({ ...at, ref: 'heads/main' }))).status,
    ).toBe(422);
    expect(
      (
        await failure(
          world.octokit.rest.git.createRef({ ...at, ref: 'refs/heads/x', sha: 'f'.repeat(40) }),
        )
      ).status,
    ).toBe(422);
  });

  test('unusual branch names: dash, unicode, quotes, percent, deep', async () => {
    const sha = await git(world.work, 'rev-parse', 'main');
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
      await world.octokit.rest.git.createRef({ ...at, ref: `refs/heads/${branch}`, sha });
      expect((await world.octokit.rest.repos.getBranch({ ...at, branch })).data.name).toBe(branch);
      expect((await world.octokit.rest.repos.getCommit({ ...at, ref: branch })).data.sha).toBe(sha);
      expect(
        (
          await world.octokit.rest.repos.compareCommitsWithBasehead({
            ...at,
            basehead: `main...${branch}`,
          })
        ).data.status,
      ).toBe('identical');
      await world.octokit.rest.git.deleteRef({ ...at, ref: `heads/${branch}` });
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
        world.octokit.rest.git.createRef({ ...at, ref: `refs/heads/${branch}`, sha }),
      );
      expect([branch, refused.status]).toEqual([branch, 422]);
    }
  });

  test('commits by page, path and date; one commit; comparison with patches', async () => {
    await git(world.work, 'checkout', '-q', 'main');
    for (const number of [1, 2, 3])
      await commit(world.work, { 'log.txt': `${number}\n` }, `commit ${number}`);
    await git(world.work, 'push', '-q', 'origin', 'main');
    const { data: all, headers } = await world.octokit.rest.repos.listCommits({
      ...at,
      per_page: 2,
    });
    expect(all.map((one) => one.commit.message)).toEqual(['commit 3', 'commit 2']);
    expect(headers.link).toContain('rel="next"');
    const messages = await world.octokit.paginate(
      world.octokit.rest.repos.listCommits,
      { ...at, per_page: 1 },
      (page) => page.data.map((one) => one.commit.message),
    );
    expect(messages).toEqual(['commit 3', 'commit 2', 'commit 1', 'first commit']);
    expect(
      (await world.octokit.rest.repos.listCommits({ ...at, path: 'README.md' })).data,
    ).toHaveLength(1);
    expect(
      (await world.octokit.rest.repos.listCommits({ ...at, until: '2001-01-01T00:00:00Z' })).data,
    ).toEqual([]);
    const { data: one } = await world.octokit.rest.repos.getCommit({ ...at, ref: 'main' });
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
    const missing = await failure(world.octokit.rest.repos.getCommit({ ...at, ref: 'nothing' }));
    expect(missing).toMatchObject({
      status: 422,
      data: { message: 'No commit found for SHA: nothing' },
    });
    const root = await world.octokit.rest.repos.getCommit({
      ...at,
      ref: await git(world.work, 'rev-list', '--max-parents=0', 'main'),
    });
    expect(root.data.files?.map((file) => file.status)).toEqual(['added', 'added']);
  });

  test('renames, binary, large and mode changes in a pull request', async () => {
    await pushedBranch(world.work, 'kinds', {
      'big.txt': 'x'.repeat(100).concat('\n').repeat(30_000),
      'image.bin': Buffer.from([0, 1, 2, 0, 255]),
      'späce ü.txt': 'ü\n',
      'sub/no-newline.txt': 'end',
    });
    await git(world.work, 'mv', 'README.md', 'docs.md');
    await git(world.work, 'rm', '-q', 'src/a.txt');
    await commit(world.work, {}, 'move');
    await git(world.work, 'push', '-q', 'origin', 'kinds');
    const { data: made } = await world.octokit.rest.pulls.create({
      ...at,
      title: 'kinds',
      head: 'kinds',
      base: 'main',
    });
    const { data } = await world.octokit.rest.pulls.listFiles({
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
    const { data: comparison } = await world.octokit.rest.repos.compareCommitsWithBasehead({
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
    const diff = await world.octokit.rest.pulls.get({
      ...at,
      pull_number: made.number,
      mediaType: { format: 'diff' },
    });
    expect(diff.data).toContain('rename from README.md');
  });
});

describe('contents and objects', () => {
  test('files, folders, symlinks, raw, blobs, trees', async () => {
    const { symlink } = await import('node:fs/promises');
    await git(world.work, 'checkout', '-q', 'main');
    await symlink('../etc/passwd', `${world.work}/link`);
    await commit(
      world.work,
      { 'dir/x y.txt': 'hello\n', 'large.txt': 'a'.repeat(1_100_000) },
      'files',
    );
    await git(world.work, 'push', '-q', 'origin', 'main');
    const content = async (path: string, ref?: string) =>
      (
        await world.octokit.rest.repos.getContent({
          ...at,
          path,
          ...(ref === undefined ? {} : { ref }),
        })
      ).data;
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
    const raw = await world.octokit.rest.repos.getContent({
      ...at,
      path: 'dir/x y.txt',
      mediaType: { format: 'raw' },
    });
    expect(raw.data).toBe('hello\n');
    for (const path of ['nope', 'dir/nope', 'dir/x y.txt/deeper', 'link/x', '*', 'd?r'])
      expect((await failure(world.octokit.rest.repos.getContent({ ...at, path }))).status).toBe(
        404,
      );
    expect(
      (await failure(world.octokit.rest.repos.getContent({ ...at, path: 'dir', ref: 'nope' })))
        .status,
    ).toBe(404);
    const { data: tree } = await world.octokit.rest.git.getTree({
      ...at,
      tree_sha: 'main',
      recursive: 'true',
    });
    expect(tree.tree.map((entry) => entry.path)).toContain('dir/x y.txt');
    const { data: blob } = await world.octokit.rest.git.createBlob({
      ...at,
      content: Buffer.from([0, 255]).toString('base64'),
      encoding: 'base64',
    });
    expect(
      (await world.octokit.rest.git.getBlob({ ...at, file_sha: blob.sha })).data,
    ).toMatchObject({
      content: 'AP8=',
      size: 2,
    });
    expect(
      (await failure(world.octokit.rest.git.getBlob({ ...at, file_sha: 'a'.repeat(40) }))).status,
    ).toBe(404);
    const commitSha = await git(world.work, 'rev-parse', 'main');
    expect(
      (await world.octokit.rest.git.getCommit({ ...at, commit_sha: commitSha })).data.message,
    ).toBe('files');
  });
});
