/** A user's folder receives branches of pull requests from Ship, and nothing else. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { childForge } from './support/child-forge.ts';
import { temporaryFolder, testForge, type TestForge } from './support/forge.ts';
import { commit, git, gitFailure } from './support/git.ts';

const SESSION = ['-c', 'http.extraHeader=ship-session: ses_one'];
const CHECKPOINT = 'refs/ship/ses_one/checkpoint';

/** A folder with a branch, a tag, a stash and a remote branch, and a clone of it through the forge. */
async function folderOf(forge: Pick<TestForge, 'apiUrl' | 'gitUrl'>, name: string) {
  const base = await temporaryFolder();
  const folder = join(base, name);
  await git(base, 'init', '-q', '-b', 'main', folder);
  await commit(folder, { 'README.md': '# app\n' }, 'first commit');
  await git(folder, 'tag', 'v1');
  await git(folder, 'branch', 'kept');
  await git(folder, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
  const registered = await fetch(`${forge.apiUrl}/ship/repositories`, {
    method: 'POST',
    body: JSON.stringify({ path: folder }),
  });
  expect(registered.status).toBe(201);
  // The user works on another branch, so a merge only moves main.
  await git(folder, 'switch', '-q', '-c', 'mine');
  const remote = `${forge.gitUrl}/local/${name}.git`;
  const clone = join(base, 'sandbox');
  await git(base, 'clone', '-q', '-b', 'main', remote, clone);
  return { folder, clone, remote };
}

const refsOf = (folder: string) => git(folder, 'for-each-ref', '--format=%(refname) %(objectname)');

/** All objects in the folder's store, reachable or not. */
async function objectsOf(folder: string): Promise<string[]> {
  const argv = ['cat-file', '--batch-all-objects', '--batch-check=%(objectname)'];
  return (await git(folder, ...argv)).split('\n').sort();
}

async function pull(forge: Pick<TestForge, 'apiUrl'>, name: string, head: string): Promise<number> {
  const answer = await fetch(`${forge.apiUrl}/repos/local/${name}/pulls`, {
    method: 'POST',
    body: JSON.stringify({ title: head, head, base: 'main' }),
  });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { number: number }).number;
}

const request = (url: string, method: string) => fetch(url, { method, body: '{}' });

async function branchWithCheckpoint(clone: string, branch: string) {
  await git(clone, 'checkout', '-q', '-B', branch, 'origin/main');
  const saved = await commit(clone, { [`${branch}.txt`]: `${branch}\n`, secret: branch }, 'saved');
  await git(clone, ...SESSION, 'push', '-q', '--force', 'origin', `${saved}:${CHECKPOINT}`);
  await git(clone, 'reset', '-q', '--soft', 'origin/main');
  await git(clone, 'rm', '-q', '--cached', 'secret');
  await git(clone, 'commit', '-q', '-m', 'work');
  return { saved, tip: await git(clone, 'rev-parse', 'HEAD') };
}

describe('[GW25] a user’s folder', () => {
  test('receives the branch of a pull request and no other ref or object, from the task to its deletion', async () => {
    const forge = await testForge();
    const { folder, clone } = await folderOf(forge, 'app');
    const refs = await refsOf(folder);
    const objects = await objectsOf(folder);
    const { saved, tip } = await branchWithCheckpoint(clone, 'ship-work');
    expect(await refsOf(folder)).toBe(refs);
    expect(await objectsOf(folder)).toEqual(objects);
    expect(await git(clone, 'ls-remote', 'origin', CHECKPOINT)).toBe(`${saved}\t${CHECKPOINT}`);

    // The pack of this push omits objects that the forge has from the checkpoint; the folder still receives them.
    await git(clone, ...SESSION, 'push', '-q', 'origin', 'HEAD:refs/heads/ship-work');
    expect((await refsOf(folder)).split('\n').filter((line) => !refs.includes(line))).toEqual([
      `refs/heads/ship-work ${tip}`,
    ]);
    expect(await git(folder, 'fsck', '--full', '--strict')).toBe('');
    expect(await git(folder, 'show', 'ship-work:ship-work.txt')).toBe('ship-work');
    await gitFailure(folder, 'cat-file', '-e', saved);
    await gitFailure(folder, 'cat-file', '-e', await git(clone, 'rev-parse', `${saved}:secret`));

    const number = await pull(forge, 'app', 'ship-work');
    expect(await git(folder, 'for-each-ref', 'refs/pull', 'refs/ship')).toBe('');
    await git(clone, 'fetch', '-q', 'origin', `refs/pull/${number}/head:pulled`);
    expect(await git(clone, 'rev-parse', 'pulled')).toBe(tip);

    const api = `${forge.apiUrl}/repos/local/app`;
    expect((await request(`${api}/pulls/${number}/merge`, 'PUT')).status).toBe(200);
    expect((await request(`${api}/git/refs/heads/ship-work`, 'DELETE')).status).toBe(204);
    expect((await request(`${api}/git/${CHECKPOINT}`, 'DELETE')).status).toBe(204);
    const main = await git(folder, 'rev-parse', 'main');
    expect(await refsOf(folder)).toBe(refs.replace(/(refs\/heads\/main) \w+/, `$1 ${main}`));
    expect(await git(folder, 'show', 'main:ship-work.txt')).toBe('ship-work');
    expect(await git(folder, 'fsck', '--full', '--strict')).toBe('');

    // gc by the user's git does not delete what pull requests and checkpoints need.
    await git(folder, 'reflog', 'expire', '--expire=now', '--all');
    await git(folder, 'gc', '-q', '--prune=now');
    const files = await fetch(`${api}/pulls/${number}/files`);
    expect(((await files.json()) as { filename: string }[]).map((one) => one.filename)).toEqual([
      'ship-work.txt',
    ]);
    await forge.close();
  });

  test('a closed pull request stays readable after its branch is deleted and pruned', async () => {
    const forge = await testForge();
    const { folder, clone, remote } = await folderOf(forge, 'app');
    const refs = await refsOf(folder);
    const { saved, tip } = await branchWithCheckpoint(clone, 'ship-closed');
    await git(clone, ...SESSION, 'push', '-q', 'origin', 'HEAD:refs/heads/ship-closed');
    const number = await pull(forge, 'app', 'ship-closed');
    const api = `${forge.apiUrl}/repos/local/app`;
    await fetch(`${api}/pulls/${number}`, { method: 'PATCH', body: '{"state":"closed"}' });
    await request(`${api}/git/refs/heads/ship-closed`, 'DELETE');
    expect(await refsOf(folder)).toBe(refs);
    await git(folder, 'reflog', 'expire', '--expire=now', '--all');
    await git(folder, 'gc', '-q', '--prune=now');
    await gitFailure(folder, 'cat-file', '-e', tip);
    const other = join(await temporaryFolder(), 'other');
    await git(folder, 'clone', '-q', remote, other);
    await git(other, 'fetch', '-q', 'origin', `refs/pull/${number}/head`, CHECKPOINT);
    expect(await git(other, 'cat-file', '-t', tip)).toBe('commit');
    expect(await git(other, 'cat-file', '-t', saved)).toBe('commit');
    await forge.close();
  });

  test('is intact after kill -9 between pushes and merges, with branches of open pull requests only', async () => {
    const root = await temporaryFolder();
    let forge = await childForge(root);
    const { folder, clone, remote } = await folderOf(forge, 'app');
    const before = (await refsOf(folder)).split('\n').map((line) => line.split(' ')[0]);
    for (const [index, wait] of [0, 40, 120].entries()) {
      const branch = `ship-${index}`;
      await git(
        clone,
        'remote',
        'set-url',
        'origin',
        remote.replace(/^.*(?=\/local\/)/, forge.gitUrl),
      );
      const work = (async () => {
        await branchWithCheckpoint(clone, branch);
        await git(clone, ...SESSION, 'push', '-q', 'origin', `HEAD:refs/heads/${branch}`);
        const number = await pull(forge, 'app', branch);
        await request(`${forge.apiUrl}/repos/local/app/pulls/${number}/merge`, 'PUT');
        await request(`${forge.apiUrl}/repos/local/app/git/refs/heads/${branch}`, 'DELETE');
      })();
      work.catch(() => undefined);
      await Promise.race([
        work.catch(() => undefined),
        new Promise((done) => setTimeout(done, wait)),
      ]);
      await forge.kill();
      await work.catch(() => undefined);
      forge = await childForge(root);
      expect(await git(folder, 'fsck', '--connectivity-only')).toBe('');
      const names = (await refsOf(folder)).split('\n').map((line) => line.split(' ')[0] ?? '');
      const added = names.filter((name) => !before.includes(name));
      expect(added.filter((name) => !/^refs\/heads\/ship-\d$/.test(name))).toEqual([]);
    }
    await forge.kill();
  });

  test('loses refs that earlier versions left there, and keeps other refs with such names', async () => {
    const root = await temporaryFolder();
    const first = await testForge({ root });
    const { folder, clone, remote } = await folderOf(first, 'app');
    const { tip } = await branchWithCheckpoint(clone, 'ship-old');
    await git(clone, ...SESSION, 'push', '-q', 'origin', 'HEAD:refs/heads/ship-old');
    const number = await pull(first, 'app', 'ship-old');
    await first.close();
    const state = await git(folder, 'commit-tree', '-m', 'old state', 'ship-old^{tree}');
    await git(folder, 'update-ref', 'refs/ship/ses_two/checkpoint', state);
    await git(folder, 'update-ref', `refs/pull/${number}/head`, tip);
    await git(folder, 'update-ref', 'refs/pull/77/head', 'main');
    await git(folder, 'update-ref', 'refs/ship/own-note', 'main');
    await git(folder, 'pack-refs', '--all');
    const second = await testForge({ root });
    expect(second.log).toEqual([
      'repository local/app: moved 2 refs of Ship out of the user’s folder',
    ]);
    expect(await git(folder, 'for-each-ref', '--format=%(refname)', 'refs/pull', 'refs/ship')).toBe(
      'refs/pull/77/head\nrefs/ship/own-note',
    );
    const url = remote.replace(/^.*(?=\/local\/)/, second.gitUrl);
    expect(await git(clone, 'ls-remote', url, 'refs/ship/ses_two/checkpoint')).toContain(state);
    await second.close();
  });

  test('packs of many checkpoints are merged at the next start', async () => {
    const root = await temporaryFolder();
    const first = await testForge({ root });
    const { clone, remote } = await folderOf(first, 'app');
    await git(clone, 'checkout', '-q', '-b', 'states');
    for (let round = 0; round < 22; round += 1) {
      await commit(clone, { 'state.txt': `${round}\n` }, `state ${round}`);
      await git(clone, ...SESSION, 'push', '-q', '--force', 'origin', `HEAD:${CHECKPOINT}`);
    }
    await first.close();
    const second = await testForge({ root });
    const own = join(root, '.forge/own');
    const [hash = ''] = await readdir(own);
    const packs = await readdir(join(own, hash, 'objects/pack'));
    expect(packs.filter((name) => name.endsWith('.pack'))).toHaveLength(1);
    const other = join(await temporaryFolder(), 'other');
    await git(clone, 'clone', '-q', remote.replace(/^.*(?=\/local\/)/, second.gitUrl), other);
    await git(other, 'fetch', '-q', 'origin', CHECKPOINT);
    expect(await git(other, 'show', 'FETCH_HEAD:state.txt')).toBe('21');
    await second.close();
  });
});
