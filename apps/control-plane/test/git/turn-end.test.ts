import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SETTINGS_FILE } from '../../src/git/work/settings.ts';
import { SETTLE } from '../../src/git/work/settle.ts';
import { script } from '../../src/git/work/shell.ts';
import { commit, git, repository, write } from './support/git.ts';
import { localShell } from './support/local-shell.ts';
import { deliver, sharedWorld, started } from './support/session-steps.ts';
import { TestSession } from './support/world.ts';

const settle = (folder: string) =>
  script(localShell, SETTLE, [folder, SETTINGS_FILE], { timeoutMs: 60_000 });
const left = async (folder: string) =>
  (await readdir(join(folder, '.git'))).filter((name) => /^(?:index\.lock|ship-view)/.test(name));

/** The same session, with its calls of the forge recorded. */
const recordCalls = (session: TestSession) => {
  const calls: string[] = [];
  const forge = new Proxy(session.deps.forge, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        calls.push(String(name));
        return Reflect.apply(value, target, args) as unknown;
      };
    },
  });
  const next = new TestSession({ ...session.deps, forge });
  next.git = session.git;
  return { next, calls };
};

/** Optimizations at the end of a turn, and the correctness that they must keep. */
describe('the end of a turn', { timeout: 60_000 }, () => {
  const world = sharedWorld();
  /** A folder whose files and index have the same second as their time, as after a clone. */
  const fresh = async (name: string) => {
    const folder = await repository(join(world.folder, name));
    await git(folder, 'checkout-index', '-af');
    return folder;
  };

  it('[TE1] the index is rewritten in the background one second after the clone', async () => {
    const session = await started((await world.newRepository()).session());
    const index = join(session.folder, '.git/index');
    const { ino } = await stat(index);
    await expect.poll(async () => (await stat(index)).ino, { timeout: 30_000 }).not.toBe(ino);
    const files = await Promise.all(
      ['README.md', 'src/a.txt'].map((path) => stat(join(session.folder, path))),
    );
    const seconds = Math.floor((await stat(index)).mtimeMs / 1_000);
    for (const { mtimeMs } of files) expect(seconds).toBeGreaterThan(Math.floor(mtimeMs / 1_000));
    expect(await git(session.folder, 'status', '--porcelain')).toBe('');
    // It runs after the clone, and deletes its temporary files once the new index is in place.
    await expect.poll(() => left(session.folder), { timeout: 30_000 }).toEqual([]);
  });

  it('[TE1] an index that another process changes meanwhile stays, and so does its lock', async () => {
    const [changed, locked] = await Promise.all([fresh('changed'), fresh('locked')]);
    const before = await readFile(join(locked, '.git/index'));
    await writeFile(join(locked, '.git/index.lock'), 'other');
    const settled = Promise.all([settle(changed), settle(locked)]);
    // The script still waits for the second to pass; on a slow machine this is an ordinary change.
    await write(changed, { staged: '1' });
    await git(changed, 'add', 'staged');
    await settled;
    expect(await git(changed, 'diff', '--cached', '--name-only')).toBe('staged');
    expect(await left(changed)).toEqual([]);
    expect(await readFile(join(locked, '.git/index'))).toEqual(before);
    expect(await readFile(join(locked, '.git/index.lock'), 'utf8')).toBe('other');
  });

  it('[TE1] a change that git cannot detect by its time is detected anyway', async () => {
    const folder = await fresh('sly');
    // The same size in the same second: only the content differs.
    await write(folder, { 'src/a.txt': 'ONE\ntwo\nthree\n' });
    await settle(folder);
    expect(await git(folder, 'status', '--porcelain')).toBe(' M src/a.txt');
  });

  it('[GW17] it runs no program that the agent set in its git config', async () => {
    const folder = await fresh('named');
    const ran = join(world.folder, 'settle-ran');
    for (const key of ['core.fsmonitor', 'filter.evil.clean', 'filter.evil.process'])
      await git(folder, 'config', key, `touch ${ran}; cat`);
    await write(folder, { '.git/info/attributes': '* filter=evil\n' });
    await settle(folder);
    await expect(stat(ran)).rejects.toThrow('ENOENT');
    expect(await left(folder)).toEqual([]);
  });

  it('[TE2] no search for a pull request after the push that creates the branch, or while one is known to be open', async () => {
    const repo = await world.newRepository();
    const { next, calls } = recordCalls(await started(repo.session()));
    await write(next.folder, { a: '1' });
    await deliver(next);
    expect(calls.splice(0)).toEqual(['refSha', 'openPullRequest']);
    await write(next.folder, { b: '1' });
    expect((await deliver(next)).problem).toBeNull();
    expect(calls.splice(0)).toEqual(['refSha', 'pullRequest', 'editPullRequest']);
  });

  it('[TE2] a pull request that was closed at the forge is looked up, and its replacement by a person is used', async () => {
    const repo = await world.newRepository();
    const session = await started(repo.session());
    await write(session.folder, { a: '1' });
    await deliver(session);
    const { branch } = session;
    await repo.forge.close(session.git.pullRequest?.number ?? 0);
    const theirs = await repo.forge.openPullRequest({ branch, base: 'main', title: 'T', body: '' });
    await write(session.folder, { b: '1' });
    expect((await deliver(session)).problem).toBeNull();
    expect(session.git.pullRequest).toMatchObject({ number: theirs.number, state: 'open' });
  });

  it('[TE3] a failed push: the commit is recorded, and pushed with the next delivery', async () => {
    const repo = await world.newRepository();
    const whole = await started(repo.session());
    const lost = new TestSession({
      ...whole.deps,
      remoteFor: async () => repo.url.replace(/:\d+/, ':1'),
    });
    lost.git = whole.git;
    await write(lost.folder, { a: '1' });
    const failed = await deliver(lost);
    expect(failed.types).toEqual(['commit.made']);
    expect(failed.problem).toMatchObject({ code: 'unavailable' });
    expect(await git(lost.folder, 'status', '--porcelain')).toBe('');
    whole.git = lost.git;
    expect((await deliver(whole)).types).toEqual(['branch.pushed', 'pull-request.opened']);
  });

  it('[TE3] a person’s unexpected push is merged in, and all commits are recorded', async () => {
    const repo = await world.newRepository();
    const session = await started(repo.session());
    await write(session.folder, { a: '1' });
    await deliver(session);
    await git(repo.person, 'fetch', '-q');
    await git(repo.person, 'checkout', '-q', session.branch);
    await commit(repo.person, { person: '1\n' });
    await git(repo.person, 'push', '-q');
    await write(session.folder, { b: '1' });
    const { types, problem } = await deliver(session);
    expect(problem).toBeNull();
    expect(types.slice(0, 2)).toEqual(['commit.made', 'commit.made']);
    expect(await git(session.folder, 'show', 'HEAD:person')).toBe('1');
  });
});
