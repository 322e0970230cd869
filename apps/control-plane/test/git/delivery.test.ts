import { readFile, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createId } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  connectForge,
  deliverTurn,
  markReady,
  observeForge,
  prepareRepository,
  saveCheckpoint,
  updateFromBase,
} from '../../src/git/index.ts';
import { commit, git, write } from './support/git.ts';
import { newWorld, TestSession, turn, type World } from './support/world.ts';

const started = async (session: TestSession): Promise<TestSession> => {
  session.record(await prepareRepository(session.deps));
  return session;
};

const deliver = async (session: TestSession, facts = turn()) => {
  const delivery = await deliverTurn(session.deps, facts);
  return { ...delivery, types: session.record(delivery.events) };
};

describe('a session’s git work', { timeout: 60_000 }, () => {
  let world: World;
  beforeAll(async () => {
    world = await newWorld();
  }, 60_000);
  afterAll(() => world.close());

  it('[GW1] a turn becomes a commit on a branch of its own, pushed, with a draft pull request', async () => {
    const { person, forge, ...repo } = await world.newRepository();
    const session = await started(repo.session());
    expect(session.branch).toMatch(/^ship-fix-the-total-\d{12}-[0-9a-z]{8}$/);
    await write(session.folder, { 'src/a.txt': 'one\ntwo\nfour\n', 'src/new.txt': 'x\n' });
    const { types, problem } = await deliver(session);
    expect(problem).toBeNull();
    expect(types).toEqual(['commit.made', 'branch.pushed', 'pull-request.opened']);
    expect(session.git.commits[0]).toMatchObject({
      additions: 2,
      deletions: 1,
      message: 'fix: fix the total',
    });
    await git(person, 'fetch', '-q', 'origin');
    const log = await git(person, 'log', '-1', '--format=%an|%cn|%B', `origin/${session.branch}`);
    expect(log).toContain('Ada Lovelace|Ship|fix: fix the total');
    expect(log).toContain('Co-authored-by: OpenCode <agent@users.noreply.localhost>');
    expect(await forge.findPullRequest(session.branch)).toMatchObject({
      draft: true,
      state: 'open',
      base: 'main',
    });
    expect(await git(session.folder, 'status', '--porcelain')).toBe('');
  });

  it('[GW2] nothing changed: no commit, no push, no pull request', async () => {
    const repo = await world.newRepository();
    const session = await started(repo.session());
    expect((await deliver(session)).types).toEqual([]);
    expect(await repo.forge.refSha(`heads/${session.branch}`)).toBeNull();
  });

  it('[GW3] a second delivery adds to the same pull request and keeps what a person wrote', async () => {
    const repo = await world.newRepository();
    const session = await started(repo.session());
    await write(session.folder, { a: '1' });
    await deliver(session);
    const number = session.git.pullRequest?.number ?? 0;
    const { body } = await repo.forge.pullRequest(number);
    await repo.forge.editPullRequest(number, {
      title: 'My title',
      body: `Mine above\n${body}\nMine below`,
    });
    await write(session.folder, { b: '2' });
    const { types } = await deliver(session, turn('Now this', 'Did the second thing.'));
    expect(types).toEqual(['commit.made', 'branch.pushed', 'pull-request.updated']);
    const after = await repo.forge.pullRequest(number);
    expect(after.title).toBe('My title');
    expect(after.body).toMatch(/^Mine above\n[^]*Did the second thing[^]*\nMine below$/);
    expect(await repo.forge.findPullRequest(session.branch)).toMatchObject({ number });
  });

  it('[GW4] a delivery that is repeated after a crash at any point ends in the same place', async () => {
    const repo = await world.newRepository();
    const session = await started(repo.session());
    await write(session.folder, { a: '1' });
    const facts = turn();
    // All of it was done, and every event of it was lost.
    const lost = await deliverTurn(session.deps, facts);
    const again = await deliver(session, facts);
    expect(again.types).toEqual(['commit.made', 'branch.pushed', 'pull-request.opened']);
    expect(again.events).toEqual(lost.events);
    expect((await deliver(session, facts)).types).toEqual([]);
    // Only the commit was told.
    await write(session.folder, { b: '1' });
    const half = await deliverTurn(session.deps, turn());
    session.record(half.events.slice(0, 1));
    expect((await deliver(session, turn())).types).toContain('branch.pushed');
    expect(session.git.commitCount).toBe(2);
  });

  it('[GW4] preparing again changes nothing, and gives the lost event again', async () => {
    const repo = await world.newRepository();
    const session = repo.session();
    const first = await prepareRepository(session.deps);
    expect(await prepareRepository(session.deps)).toEqual(first);
    session.record(first);
    await write(session.folder, { 'src/a.txt': 'changed' });
    expect(await prepareRepository(session.deps)).toEqual([]);
    expect(await readFile(join(session.folder, 'src/a.txt'), 'utf8')).toBe('changed');
  });

  it('[GW5] a person pushes to the session’s branch: their commits are merged in, never overwritten', async () => {
    const repo = await world.newRepository();
    const session = await started(repo.session());
    await write(session.folder, { 'ours.txt': '1\n' });
    await deliver(session);
    await git(repo.person, 'fetch', '-q');
    await git(repo.person, 'checkout', '-q', session.branch);
    const theirs = await commit(repo.person, { 'theirs.txt': '1\n' }, 'by a person');
    await git(repo.person, 'push', '-q');
    expect(session.record(await observeForge(session.deps))).toEqual(['branch.moved-outside']);
    await write(session.folder, { 'ours.txt': '2\n' });
    const { types, conflict } = await deliver(session);
    expect(conflict).toBeNull();
    expect(types).toContain('branch.pushed');
    await git(session.folder, 'merge-base', '--is-ancestor', theirs, 'HEAD');
    expect(await readFile(join(session.folder, 'theirs.txt'), 'utf8')).toBe('1\n');
    expect(await readFile(join(session.folder, 'ours.txt'), 'utf8')).toBe('2\n');
    expect(await git(session.folder, 'status', '--porcelain')).toBe('');
    expect(session.git.outside).toBeNull();
  });

  it('[GW6] a conflict with a person’s push is a value for the agent; resolved, it is delivered', async () => {
    const repo = await world.newRepository();
    const session = await started(repo.session());
    await write(session.folder, { 'src/a.txt': 'ours\n' });
    await deliver(session);
    await git(repo.person, 'fetch', '-q');
    await git(repo.person, 'checkout', '-q', session.branch);
    await commit(repo.person, { 'src/a.txt': 'theirs\n' });
    await git(repo.person, 'push', '-q');
    await write(session.folder, { 'src/a.txt': 'ours again\n' });
    const { types, conflict } = await deliver(session);
    expect(types).toEqual(['commit.made', 'git.conflicted']);
    expect(conflict).toMatchObject({
      with: 'branch',
      files: ['src/a.txt'],
      ref: `origin/${session.branch}`,
    });
    // The agent merges, and at first leaves the marks in.
    await git(session.folder, 'merge', conflict?.ref ?? '').catch(() => undefined);
    const marked = await deliver(session);
    expect(marked.conflict?.files).toEqual(['src/a.txt']);
    expect(marked.types).toEqual([]);
    await write(session.folder, { 'src/a.txt': 'both\n' });
    const resolved = await deliver(session);
    expect(resolved.types).toEqual(
      expect.arrayContaining(['branch.pushed', 'git.conflict-resolved']),
    );
    expect(session.git.conflict).toBeNull();
    expect(await git(session.folder, 'log', '-1', '--format=%P')).toContain(conflict?.sha);
  });

  it('[GW7] a base that moved is merged in, from a clone of one commit too', async () => {
    const repo = await world.newRepository();
    for (let i = 0; i < 3; i += 1) await commit(repo.person, { [`before-${i}`]: 'x' });
    await git(repo.person, 'push', '-q', 'origin', 'main');
    const session = await started(repo.session());
    await write(session.folder, { 'ours.txt': '1\n' });
    await deliver(session);
    const moved = await commit(repo.person, { 'base.txt': '1\n' });
    await git(repo.person, 'push', '-q', 'origin', 'main');
    const { events, conflict, problem } = await updateFromBase(session.deps, turn());
    expect({ conflict, problem }).toEqual({ conflict: null, problem: null });
    expect(session.record(events)).toEqual(['commit.made', 'base.merged', 'branch.pushed']);
    expect(session.git.baseSha).toBe(moved);
    expect(await readFile(join(session.folder, 'base.txt'), 'utf8')).toBe('1\n');
    expect((await updateFromBase(session.deps, turn())).events).toEqual([]);
  });

  it('[GW7] conflicts with the base are a value, and the diff follows when the agent has merged', async () => {
    const repo = await world.newRepository();
    const session = await started(repo.session());
    await write(session.folder, { 'src/a.txt': 'ours\n' });
    await deliver(session);
    const base = await commit(repo.person, { 'src/a.txt': 'base\n' });
    await git(repo.person, 'push', '-q', 'origin', 'main');
    const { events, conflict } = await updateFromBase(session.deps, turn());
    session.record(events);
    expect(conflict).toMatchObject({ with: 'base', ref: 'origin/main', files: ['src/a.txt'] });
    await git(session.folder, 'merge', 'origin/main').catch(() => undefined);
    await write(session.folder, { 'src/a.txt': 'both\n' });
    await git(session.folder, 'add', '-A');
    await git(session.folder, 'commit', '-q', '-m', 'resolved by the agent');
    expect((await deliver(session)).types).toEqual(
      expect.arrayContaining([
        'commit.made',
        'branch.pushed',
        'base.merged',
        'git.conflict-resolved',
      ]),
    );
    expect(session.git.baseSha).toBe(base);
  });

  it('[GW8] amended history is pushed over our own commit, and over nobody else’s', async () => {
    const repo = await world.newRepository();
    const session = await started(repo.session());
    await write(session.folder, { a: '1' });
    await deliver(session);
    await git(session.folder, 'commit', '-q', '--amend', '-m', 'fix: better words');
    expect((await deliver(session)).types).toEqual(
      expect.arrayContaining(['commit.made', 'branch.pushed']),
    );
    expect(await repo.forge.refSha(`heads/${session.branch}`)).toBe(
      await git(session.folder, 'rev-parse', 'HEAD'),
    );
    await git(repo.person, 'fetch', '-q');
    await git(repo.person, 'checkout', '-q', session.branch);
    const theirs = await commit(repo.person, { p: '1' });
    await git(repo.person, 'push', '-q');
    await git(session.folder, 'commit', '-q', '--amend', '-m', 'fix: other words');
    await deliver(session);
    await git(session.folder, 'merge-base', '--is-ancestor', theirs, 'HEAD');
  });

  it('[GW9] commits that the agent makes itself, on another branch or detached, are delivered', async () => {
    const repo = await world.newRepository();
    const session = await started(repo.session());
    await git(session.folder, 'checkout', '-q', '-b', 'agent-idea');
    await commit(session.folder, { idea: '1' }, 'feat: idea');
    await write(session.folder, { more: '1' });
    expect((await deliver(session)).types).toContain('branch.pushed');
    expect(session.git.commits.map(({ message }) => message)).toEqual([
      'feat: idea',
      'fix: fix the total',
    ]);
    expect(await git(session.folder, 'symbolic-ref', '--short', 'HEAD')).toBe(session.branch);
    await git(session.folder, 'checkout', '-q', 'main');
    await git(session.folder, 'checkout', '-q', '--detach');
    await write(session.folder, { third: '1' });
    expect((await deliver(session)).types).toContain('branch.pushed');
    for (const file of ['idea', 'more', 'third'])
      expect(await readFile(join(session.folder, file), 'utf8')).toBe('1');
  });

  it('[GW10] a branch that somebody took meanwhile is never overwritten', async () => {
    const repo = await world.newRepository();
    const session = await started(repo.session());
    await write(session.folder, { a: '1' });
    await git(repo.person, 'checkout', '-q', '-b', session.branch);
    const theirs = await commit(repo.person, { a: 'theirs' });
    await git(repo.person, 'push', '-q', 'origin', session.branch);
    const { problem, types } = await deliver(session);
    expect(problem?.code).toBe('branch-taken');
    expect(types).toEqual(['commit.made']);
    expect(await repo.forge.refSha(`heads/${session.branch}`)).toBe(theirs);
  });

  it('[GW11] a pull request that a person closed stays closed; after a merge new work gets a new one', async () => {
    const repo = await world.newRepository();
    const session = await started(repo.session());
    await write(session.folder, { a: '1' });
    await deliver(session);
    const number = session.git.pullRequest?.number ?? 0;
    await repo.forge.close(number);
    await write(session.folder, { b: '1' });
    expect((await deliver(session)).types).toContain('pull-request.state-changed');
    expect(session.git.pullRequest).toMatchObject({ number, state: 'closed' });
    await fetch(`${world.server.apiUrl}/repos/local/${repo.name}/pulls/${number}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ state: 'open' }),
    });
    expect(session.record(await observeForge(session.deps))).toEqual([
      'pull-request.state-changed',
    ]);
    expect(session.record(await markReady(session.deps))).toEqual(['pull-request.state-changed']);
    expect(session.git.pullRequest?.draft).toBe(false);
    await repo.forge.merge(number, 'merge', session.git.headSha ?? '');
    await git(repo.person, 'push', '-q', 'origin', `:${session.branch}`);
    expect(session.record(await observeForge(session.deps))).toEqual([
      'pull-request.state-changed',
      'branch.moved-outside',
    ]);
    expect(session.git).toMatchObject({ pullRequest: { state: 'merged' }, outside: { sha: null } });
    await write(session.folder, { c: '1' });
    expect((await deliver(session)).types).toEqual([
      'commit.made',
      'branch.pushed',
      'pull-request.opened',
    ]);
    expect(session.git.pullRequest?.number).toBeGreaterThan(number);
  });

  it('[GW12] an empty repository: the branch is pushed, and the pull request says what is missing', async () => {
    const repo = await world.newRepository({ isEmpty: true });
    const session = await started(repo.session());
    expect(session.git.baseSha).toBeNull();
    expect((await deliver(session)).types).toEqual([]);
    await write(session.folder, { 'first.txt': '1\n' });
    const { types, problem } = await deliver(session);
    expect(types).toEqual(['commit.made', 'branch.pushed']);
    expect(problem?.code).toBe('base-missing');
  });

  it('[GW12] a default branch of any name; one that is gone is said to be', async () => {
    const repo = await world.newRepository({ branch: 'trunk' });
    const session = await started(repo.session());
    expect(session.git.base).toBe('trunk');
    const gone = repo.session({ base: 'deleted' });
    await expect(prepareRepository(gone.deps)).rejects.toMatchObject({
      error: { code: 'base-missing' },
    });
  });

  it('[GW13] names of branches: a task’s, a person’s, taken ones and neighbours', async () => {
    const repo = await world.newRepository();
    const cardId = createId('crd');
    const first = await started(repo.session({ cardId }));
    expect(first.branch).toBe(`task-${cardId.slice(4)}`);
    await write(first.folder, { a: '1' });
    await deliver(first);
    const second = await started(repo.session({ cardId }));
    expect(second.branch).toMatch(new RegExp(`^task-${cardId.slice(4)}-[0-9a-z]{8}$`));
    expect((await started(repo.session({ branch: 'feature/total' }))).branch).toBe('feature/total');
    await git(repo.person, 'push', '-q', 'origin', 'main:refs/heads/topic/one');
    for (const branch of [
      '-x',
      'HEAD',
      'main',
      'a..b',
      'refs/heads/x',
      'topic',
      'topic/one',
      'topic/one/two',
    ])
      await expect(prepareRepository(repo.session({ branch }).deps)).rejects.toMatchObject({
        error: { code: expect.stringMatching(/invalid-input|branch-taken/) as string },
      });
  });

  it('[GW14] links out of the repository, CRLF, case, LFS pointers and odd names are delivered as they are', async () => {
    const repo = await world.newRepository();
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 5\n`;
    await commit(repo.person, {
      '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
      'x.bin': pointer,
      'crlf.txt': 'a\r\nb\r\n',
      'readme.txt': 'x\n',
    });
    await git(repo.person, 'push', '-q', 'origin', 'main');
    const session = await started(repo.session());
    await write(session.folder, { 'crlf.txt': 'a\r\nb\r\n', 'x.bin': pointer });
    expect((await deliver(session)).types).toEqual([]);
    await symlink('/etc/passwd', join(session.folder, 'out'));
    await rename(join(session.folder, 'readme.txt'), join(session.folder, 'README.TXT'));
    await write(session.folder, { 'ö "quoted"\n\t.txt': 'x', '-dash': 'x', ':(top)magic': 'x' });
    expect((await deliver(session)).problem).toBeNull();
    const tree = await git(session.folder, 'ls-tree', '-r', '-z', 'HEAD');
    const link = /120000 blob ([0-9a-f]{40})\tout/.exec(tree)?.[1] ?? '';
    expect(await git(session.folder, 'cat-file', 'blob', link)).toBe('/etc/passwd');
    for (const path of ['README.TXT', 'ö "quoted"\n\t.txt', '-dash', ':(top)magic'])
      expect(tree).toContain(path);
    expect(tree).not.toContain('\treadme.txt');
    expect(await git(session.folder, 'show', 'HEAD:x.bin')).toBe(pointer.trimEnd());
  });

  it('[GW15] nested repositories and files too large for a forge are left out, and said to be', async () => {
    const repo = await world.newRepository();
    const session = await started(repo.session());
    await git(session.folder, 'init', '-q', 'nested-empty');
    await git(session.folder, 'init', '-q', 'nested');
    await commit(join(session.folder, 'nested'), { x: '1' });
    await write(session.folder, { ok: '1' });
    // Sparse: it costs no disk until git reads it.
    const { truncate } = await import('node:fs/promises');
    await write(session.folder, { 'huge file.bin': '' });
    await truncate(join(session.folder, 'huge file.bin'), 105 * 1024 * 1024);
    expect((await deliver(session)).problem).toBeNull();
    const made = session.events.find(({ type }) => type === 'commit.made');
    expect(made?.data).toMatchObject({
      changedFiles: 1,
      skipped: [
        { path: 'nested-empty', reason: 'nested-repository' },
        { path: 'nested', reason: 'nested-repository' },
        { path: 'huge file.bin', reason: 'too-large' },
      ],
    });
    expect(await git(session.folder, 'ls-tree', '--name-only', 'HEAD')).not.toContain('huge');
  });

  it('[GW16] a failing hook of the repository does not stop a delivery', async () => {
    const repo = await world.newRepository();
    const session = await started(repo.session());
    const { chmod, mkdir } = await import('node:fs/promises');
    await mkdir(join(session.folder, '.git/hooks'), { recursive: true });
    for (const name of [
      'pre-commit',
      'commit-msg',
      'pre-push',
      'post-commit',
      'reference-transaction',
      'post-index-change',
    ]) {
      const hook = join(session.folder, '.git/hooks', name);
      await write(session.folder, {
        [`.git/hooks/${name}`]: `#!/bin/sh\ntouch ${world.folder}/hook-ran\nexit 1\n`,
      });
      await chmod(hook, 0o755);
    }
    await write(session.folder, { a: '1' });
    expect((await deliver(session)).types).toContain('branch.pushed');
    await expect(readFile(join(world.folder, 'hook-ran'))).rejects.toThrow();
  });

  it('[GW17] whatever the agent writes into its git config, nothing of it runs and nothing is redirected', async () => {
    const repo = await world.newRepository();
    await commit(repo.person, { 'f.txt': 'a\n' });
    await git(repo.person, 'push', '-q', 'origin', 'main');
    const session = await started(repo.session());
    await write(session.folder, { a: '1' });
    await deliver(session);
    const ran = `${world.folder}/config-ran`;
    const evil = `touch ${ran}; cat`;
    const settings: [string, string][] = [
      ['core.hooksPath', '/tmp'],
      ['core.fsmonitor', evil],
      ['core.sshCommand', evil],
      ['core.pager', evil],
      ['core.editor', evil],
      ['credential.helper', `!${evil}`],
      ['filter.evil.clean', evil],
      ['filter.evil.smudge', evil],
      ['filter.evil.process', evil],
      ['filter.evil.required', 'true'],
      ['diff.evil.textconv', evil],
      ['diff.evil.command', evil],
      ['diff.external', evil],
      ['merge.evil.driver', evil],
      ['gpg.program', evil],
      ['commit.gpgSign', 'true'],
      ['http.proxy', 'http://127.0.0.1:1'],
      ['core.worktree', '/tmp'],
      ['core.alternateRefsCommand', evil],
      ['trailer.x.command', evil],
      [`url.http://127.0.0.1:1/evil.insteadOf`, repo.url],
      [`url.http://127.0.0.1:1/evil.pushInsteadOf`, repo.url],
      ['remote.origin.url', 'http://127.0.0.1:1/evil'],
      ['extensions.worktreeConfig', 'true'],
    ];
    for (const [key, value] of settings)
      await git('/', 'config', '--file', join(session.folder, '.git/config'), key, value);
    await write(session.folder, {
      '.gitattributes': '* filter=evil diff=evil merge=evil\n',
      '.git/info/attributes': '* filter=evil diff=evil merge=evil\n',
      'f.txt': 'b\n',
    });
    session.record(await saveCheckpoint(session.deps));
    expect((await deliver(session)).problem).toBeNull();
    await git(repo.person, 'fetch', '-q');
    await git(repo.person, 'checkout', '-q', session.branch);
    await commit(repo.person, { 'person.txt': '1' });
    await git(repo.person, 'push', '-q');
    await write(session.folder, { 'f.txt': 'c\n' });
    const { problem, types } = await deliver(session);
    expect({ problem, types }).toMatchObject({ problem: null });
    await expect(readFile(ran)).rejects.toThrow();
    expect(await git(repo.person, 'ls-remote', 'origin', session.branch)).toContain(
      session.git.headSha,
    );
  });

  it('[GW18] a checkpoint has uncommitted and untracked files, and leaves the agent’s index alone', async () => {
    const repo = await world.newRepository();
    const session = await started(repo.session());
    expect(await saveCheckpoint(session.deps)).toEqual([]);
    await commit(session.folder, { 'agents-own.txt': '1\n' }, 'feat: unpushed');
    await write(session.folder, { 'staged.txt': 's\n', '.gitignore': 'ignored\n', ignored: 'x' });
    await git(session.folder, 'add', 'staged.txt');
    await write(session.folder, { 'src/a.txt': 'dirty\n', 'untracked/deep.txt': 'u\n' });
    await rm(join(session.folder, 'README.md'));
    const status = await git(session.folder, 'status', '--porcelain', '-uall');
    expect(session.record(await saveCheckpoint(session.deps))).toEqual(['checkpoint.saved']);
    expect(await git(session.folder, 'status', '--porcelain', '-uall')).toBe(status);
    expect(await saveCheckpoint(session.deps)).toEqual([]);
    const restored = await started(session.inNewSandbox(`${session.folder}-2`));
    expect(restored.events.map(({ type }) => type)).toEqual(['work.restored']);
    expect(await readFile(join(restored.folder, 'src/a.txt'), 'utf8')).toBe('dirty\n');
    expect(await readFile(join(restored.folder, 'untracked/deep.txt'), 'utf8')).toBe('u\n');
    expect(await git(restored.folder, 'log', '--format=%s', '-1')).toBe('feat: unpushed');
    expect(await git(restored.folder, 'symbolic-ref', '--short', 'HEAD')).toBe(session.branch);
    const dirty = (await git(restored.folder, 'status', '--porcelain', '-uall'))
      .split('\n')
      .map((line) => line.slice(3));
    expect(dirty.sort()).toEqual([
      '.gitignore',
      'README.md',
      'src/a.txt',
      'staged.txt',
      'untracked/deep.txt',
    ]);
    expect((await deliver(restored)).types).toContain('branch.pushed');
  });

  it('[GW19] a checkpoint that is older than the branch is not restored; a person’s push is', async () => {
    const repo = await world.newRepository();
    const session = await started(repo.session());
    await write(session.folder, { a: 'half\n' });
    session.record(await saveCheckpoint(session.deps));
    await write(session.folder, { a: 'done\n' });
    await deliver(session);
    await git(repo.person, 'fetch', '-q');
    await git(repo.person, 'checkout', '-q', session.branch);
    await commit(repo.person, { person: '1\n' });
    await git(repo.person, 'push', '-q');
    const restored = await started(session.inNewSandbox(`${session.folder}-2`));
    expect(await readFile(join(restored.folder, 'a'), 'utf8')).toBe('done\n');
    expect(await readFile(join(restored.folder, 'person'), 'utf8')).toBe('1\n');
    expect(await git(restored.folder, 'status', '--porcelain')).toBe('');
  });

  it('[GW20] a repository that the agent destroyed is a failure with a remedy, and comes back', async () => {
    const repo = await world.newRepository();
    const session = await started(repo.session());
    await write(session.folder, { a: '1\n' });
    await deliver(session);
    await rm(join(session.folder, '.git'), { recursive: true });
    expect((await deliver(session)).problem?.code).toBe('gone');
    await expect(saveCheckpoint(session.deps)).rejects.toMatchObject({ error: { code: 'gone' } });
    await rm(session.folder, { recursive: true });
    session.record(await prepareRepository(session.deps));
    expect(await readFile(join(session.folder, 'a'), 'utf8')).toBe('1\n');
    // A broken index is no reason to lose a turn.
    await write(session.folder, { '.git/index': 'garbage', b: '1' });
    expect((await deliver(session)).types).toContain('branch.pushed');
  });

  it('[GW21] what the forge refuses is a problem with a remedy; the commit stays and goes out later', async () => {
    const { person } = await world.newRepository();
    const bindings = { FORGE_API_URL: world.server.apiUrl, FORGE_GIT_URL: world.server.gitUrl };
    const forge = await connectForge(person, bindings);
    const url = `${world.server.gitUrl}/${forge.owner}/${forge.name}.git`;
    const { deps } = (await world.newRepository()).session();
    const session = await started(new TestSession({ ...deps, forge, remoteFor: async () => url }));
    await write(session.folder, { a: '1\n' });
    await deliver(session);
    // The person looks at the branch in their own folder.
    await git(person, 'checkout', '-q', session.branch);
    await write(session.folder, { a: '2\n' });
    const { problem, types } = await deliver(session);
    expect(types).toEqual(['commit.made']);
    expect(problem).toMatchObject({ code: 'push-refused', category: 'user-action' });
    expect(problem?.remedy).toContain('Check out another branch');
    expect(await readFile(join(person, 'a'), 'utf8')).toBe('1\n');
    await git(person, 'checkout', '-q', 'main');
    expect((await deliver(session)).types).toContain('branch.pushed');
  });

  it('[GW14] submodules stay what they are', async () => {
    const repo = await world.newRepository();
    const sub = await git(repo.person, 'rev-parse', 'HEAD');
    await write(repo.person, {
      '.gitmodules': `[submodule "sub"]\n\tpath = sub\n\turl = ${repo.url}\n`,
    });
    await git(repo.person, 'update-index', '--add', '--cacheinfo', '160000', sub, 'sub');
    await git(repo.person, 'add', '.gitmodules');
    await git(repo.person, 'commit', '-qm', 'submodule');
    await git(repo.person, 'push', '-q', 'origin', 'main');
    const session = await started(repo.session());
    await write(session.folder, { a: '1' });
    expect((await deliver(session)).problem).toBeNull();
    expect(await git(session.folder, 'ls-tree', 'HEAD', 'sub')).toContain(`160000 commit ${sub}`);
  });
});
