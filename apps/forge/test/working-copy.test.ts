import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Octokit } from 'octokit';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { failure, temporaryFolder, testForge, type TestForge } from './support/forge.ts';
import { commit, git, gitFailure } from './support/git.ts';

let forge: TestForge;
let octokit: Octokit;
let base: string;
let folder: string;
let clone: string;
let at: { owner: string; repo: string };
let count = 0;

beforeAll(async () => {
  forge = await testForge();
  octokit = forge.octokit();
  base = await temporaryFolder();
  return () => forge.close();
});

async function register(path: string, extra: Record<string, string> = {}) {
  const response = await forge.fetch('/ship/repositories', {
    method: 'POST',
    body: JSON.stringify({ path, ...extra }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** A registered user folder with `main` checked out, and a clone of it, as in a sandbox. */
beforeEach(async () => {
  count += 1;
  folder = join(base, `app${count}`);
  at = { owner: 'local', repo: `app${count}` };
  await git(base, 'init', '-q', '-b', 'main', folder);
  await commit(folder, { 'a.txt': 'one\n' }, 'first');
  await register(folder);
  clone = join(base, `clone${count}`);
  await git(base, 'clone', '-q', `${forge.gitUrl}/local/app${count}.git`, clone);
});

async function openPull(branch: string, files: Record<string, string>) {
  await git(clone, 'checkout', '-q', '-b', branch);
  await commit(clone, files, branch);
  await git(clone, 'push', '-q', 'origin', branch);
  return (await octokit.rest.pulls.create({ ...at, title: branch, head: branch, base: 'main' }))
    .data.number;
}

const merge = (pull_number: number) => octokit.rest.pulls.merge({ ...at, pull_number });

describe('pushes into a user’s folder', () => {
  test('a pushed branch appears there as an ordinary branch', async () => {
    await openPull('topic', { 'b.txt': 'b\n' });
    expect(await git(folder, 'branch', '--format=%(refname:short)')).toBe('main\ntopic');
    expect(await git(folder, 'status', '--porcelain')).toBe('');
    await git(folder, 'switch', '-q', 'topic');
    expect(await readFile(join(folder, 'b.txt'), 'utf8')).toBe('b\n');
  });

  test('the checked-out branch is never changed, even when the folder’s config allows it', async () => {
    await git(folder, 'config', 'receive.denyCurrentBranch', 'updateInstead');
    await commit(clone, { 'b.txt': 'b\n' });
    const before = await git(folder, 'rev-parse', 'main');
    expect(await gitFailure(clone, 'push', 'origin', 'main')).toContain(
      'branch is currently checked out',
    );
    expect(await gitFailure(clone, 'push', 'origin', ':main')).toMatch(
      /deletion of the current branch prohibited|remote rejected/,
    );
    expect(await git(folder, 'rev-parse', 'main')).toBe(before);
    const sha = await git(folder, 'rev-parse', 'HEAD');
    const refused = await failure(
      octokit.rest.git.updateRef({ ...at, ref: 'heads/main', sha, force: true }),
    );
    expect(refused).toMatchObject({
      status: 422,
      data: { message: expect.stringContaining('Switch to another branch') as string },
    });
    expect((await failure(octokit.rest.git.deleteRef({ ...at, ref: 'heads/main' }))).status).toBe(
      422,
    );
  });

  test('a branch of a linked worktree is not changed either', async () => {
    await git(folder, 'worktree', 'add', '-q', '-b', 'side', join(base, `side${count}`));
    await git(clone, 'checkout', '-q', '-b', 'side');
    await commit(clone, { 's.txt': 's\n' });
    expect(await gitFailure(clone, 'push', 'origin', 'side')).toContain('currently checked out');
  });

  test('the stash, remote branches and pull refs can be neither read nor written', async () => {
    await writeFile(join(folder, 'a.txt'), 'secret draft\n');
    await git(folder, 'stash', '-q');
    const sha = await git(clone, 'rev-parse', 'HEAD');
    expect(await git(clone, 'ls-remote', 'origin')).not.toContain('stash');
    for (const ref of [
      'refs/stash',
      'refs/remotes/origin/main',
      'refs/pull/1/head',
      'refs/heads/HEAD',
      'refs/notes/x',
    ])
      expect(await gitFailure(clone, 'push', 'origin', `${sha}:${ref}`)).toMatch(
        /hidden ref|rejected/,
      );
    expect(await git(folder, 'stash', 'list')).not.toBe('');
  });

  test('no hook, merge driver, fsmonitor or filter of the repository runs', async () => {
    // Both sides change one file, so that the merge needs a merge driver.
    await commit(folder, { 'both.txt': '1\n2\n3\n4\n5\n' });
    await git(clone, 'pull', '-q');
    const evidence = join(base, `ran${count}`);
    const script = `#!/bin/sh\necho "$0" >> ${evidence}\nexit 0\n`;
    for (const hook of [
      'pre-receive',
      'update',
      'post-receive',
      'post-update',
      'reference-transaction',
      'proc-receive',
      'post-checkout',
      'post-merge',
      'push-to-checkout',
      'fsm',
    ]) {
      await writeFile(join(folder, '.git/hooks', hook), script);
      await chmod(join(folder, '.git/hooks', hook), 0o755);
    }
    for (const [key, value] of Object.entries({
      'core.fsmonitor': join(folder, '.git/hooks/fsm'),
      'merge.evil.driver': `sh -c 'echo driver >> ${evidence}'`,
      'diff.evil.textconv': `sh -c 'echo textconv >> ${evidence}'`,
      'diff.external': `sh -c 'echo external >> ${evidence}'`,
      'core.alternateRefsCommand': `sh -c 'echo alternates >> ${evidence}'`,
      'uploadpack.packObjectsHook': `sh -c 'echo pack >> ${evidence}'`,
      'core.hooksPath': join(folder, '.git/hooks'),
    }))
      await git(folder, 'config', key, value);
    await mkdir(join(folder, '.git/info'), { recursive: true });
    await writeFile(join(folder, '.git/info/attributes'), '* merge=evil diff=evil\n');
    const number = await openPull('quiet', {
      'a.txt': 'two\n',
      'both.txt': '1\n2\n3\n4\nfive\n',
      '.gitattributes': '* merge=evil diff=evil\n',
    });
    await commit(folder, { 'both.txt': 'one\n2\n3\n4\n5\n' });
    // The user's own git ran some of them during the setup; from here on only the forge runs git.
    const { rm } = await import('node:fs/promises');
    await rm(evidence, { force: true });
    await git(clone, 'push', '-q', 'origin', 'quiet:refs/heads/again');
    await octokit.rest.pulls.listFiles({ ...at, pull_number: number });
    await octokit.rest.pulls.get({ ...at, pull_number: number });
    await merge(number);
    expect(existsSync(evidence)).toBe(false);
    expect(await readFile(join(folder, 'both.txt'), 'utf8')).toBe('one\n2\n3\n4\nfive\n');
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('two\n');
  });
});

describe('merges into the checked-out branch', () => {
  test('a clean folder is updated to the merge; untracked files stay', async () => {
    const number = await openPull('topic', { 'b/c.txt': 'b\n', 'a.txt': 'two\n' });
    await writeFile(join(folder, 'notes.txt'), 'mine');
    const { data } = await merge(number);
    expect(await git(folder, 'rev-parse', 'HEAD')).toBe(data.sha);
    expect(await git(folder, 'status', '--porcelain')).toBe('?? notes.txt');
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('two\n');
  });

  test('uncommitted, staged or overwritten work: refused with a remedy, nothing changes', async () => {
    const number = await openPull('topic', { 'b.txt': 'from the branch\n', 'a.txt': 'two\n' });
    const before = await git(folder, 'rev-parse', 'HEAD');
    const refusal = async () => {
      const refused = await failure(merge(number));
      expect(refused.status).toBe(405);
      expect(refused.data['message']).toContain(
        'Commit or stash the changes there, or switch to another branch',
      );
      expect(await git(folder, 'rev-parse', 'HEAD')).toBe(before);
    };
    await writeFile(join(folder, 'a.txt'), 'being edited\n');
    await refusal();
    await git(folder, 'add', 'a.txt');
    await refusal();
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('being edited\n');
    await git(folder, 'reset', '-q', '--hard');
    await writeFile(join(folder, 'b.txt'), 'mine, untracked\n');
    await refusal();
    expect(await readFile(join(folder, 'b.txt'), 'utf8')).toBe('mine, untracked\n');
    await git(folder, 'switch', '-q', '-c', 'elsewhere');
    const { data } = await merge(number);
    expect(await git(folder, 'rev-parse', 'main')).toBe(data.sha);
    expect(await git(folder, 'status', '--porcelain')).toBe('?? b.txt');
  });

  test('an unfinished merge, a lock, or content filters: refused', async () => {
    const number = await openPull('topic', { 'a.txt': 'two\n' });
    await writeFile(join(folder, '.git/MERGE_HEAD'), `${await git(folder, 'rev-parse', 'HEAD')}\n`);
    expect((await failure(merge(number))).data['message']).toContain('a merge is in progress');
    const { rm } = await import('node:fs/promises');
    await rm(join(folder, '.git/MERGE_HEAD'));
    await writeFile(join(folder, '.git/index.lock'), '');
    expect((await failure(merge(number))).data['message']).toContain(
      'another git command is in progress',
    );
    await rm(join(folder, '.git/index.lock'));
    await commit(folder, { '.gitattributes': '*.bin filter=lfs\n' });
    expect((await failure(merge(number))).data['message']).toContain('content filters');
    expect(await git(folder, 'status', '--porcelain')).toBe('');
  });

  test('the user’s own commits are detected', async () => {
    const number = await openPull('topic', { 'a.txt': 'two\n' });
    await git(folder, 'switch', '-q', 'topic');
    const sha = await commit(folder, { 'by-user.txt': 'x\n' }, 'by the user');
    expect((await octokit.rest.pulls.get({ ...at, pull_number: number })).data.head.sha).toBe(sha);
    await git(folder, 'switch', '-q', 'main');
    await git(folder, 'merge', '-q', '--no-ff', '-m', 'm', 'topic');
    expect((await octokit.rest.pulls.get({ ...at, pull_number: number })).data).toMatchObject({
      merged: true,
    });
  });
});

describe('registration', () => {
  test('a refused registration states the reason', async () => {
    const message = async (path: string, extra = {}) =>
      String((await register(path, extra)).body['message']);
    expect(await message(join(base, 'missing'))).toContain('does not exist');
    await mkdir(join(base, `plain${count}`));
    expect(await message(join(base, `plain${count}`))).toContain('git init');
    await mkdir(join(folder, 'sub'));
    expect(await message(join(folder, 'sub'))).toContain('Register that folder instead');
    expect(await message(folder, { name: 'other' })).toContain('is registered already');
    const twin = join(base, `twin${count}`);
    await git(base, 'init', '-q', twin);
    expect((await register(twin, { name: at.repo })).status).toBe(422);
    expect((await register(twin, { owner: '../x' })).status).toBe(422);
    expect((await register(folder)).body['full_name']).toBe(`local/${at.repo}`);
  });

  test('a folder without commits, a detached HEAD and a default branch with another name', async () => {
    const fresh = join(base, `fresh${count}`);
    await git(base, 'init', '-q', '-b', 'trunk', fresh);
    const { body } = await register(fresh);
    expect(body['default_branch']).toBe('trunk');
    await git(clone, 'remote', 'add', 'fresh', `${forge.gitUrl}/local/fresh${count}.git`);
    expect(await gitFailure(clone, 'push', 'fresh', 'main:trunk')).toContain('checked out');
    await git(clone, 'push', '-q', 'fresh', 'main:other');
    await git(folder, 'checkout', '-q', '--detach');
    const number = await openPull('topic', { 'a.txt': 'two\n' });
    const { data } = await merge(number);
    expect(await git(folder, 'rev-parse', 'main')).toBe(data.sha);
    expect(await git(folder, 'rev-parse', 'HEAD')).not.toBe(data.sha);
  });

  test('removing a registered folder does not delete it', async () => {
    await octokit.rest.repos.delete(at);
    expect(existsSync(join(folder, '.git'))).toBe(true);
    expect((await failure(octokit.rest.repos.get(at))).status).toBe(404);
  });
});
