import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createId } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import {
  connectForge,
  deliverTurn,
  createWarmFolder,
  markReady,
  observeForge,
  prepareRepository,
} from '../../src/git/index.ts';
import { commit, git, write } from './support/git.ts';
import { deliver, sharedWorld, started } from './support/session-steps.ts';
import { TestSession, turn } from './support/world.ts';

describe('delivery of a turn', { timeout: 60_000 }, () => {
  const world = sharedWorld();

  it('[GW1] a turn becomes a commit on the session’s branch, pushed, with a draft pull request', async () => {
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
      message: 'fix: correct the total',
    });
    await git(person, 'fetch', '-q', 'origin');
    const log = await git(person, 'log', '-1', '--format=%an|%cn|%B', `origin/${session.branch}`);
    expect(log).toContain('Ada Lovelace|Ship|fix: correct the total');
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

  it('[GW3] a second delivery updates the same pull request and keeps a person’s text', async () => {
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

  it('[GW4] a delivery repeated after a crash at any point has the same result', async () => {
    const repo = await world.newRepository();
    const session = await started(repo.session());
    await write(session.folder, { a: '1' });
    const facts = turn();
    // The delivery succeeded, but all of its events were lost.
    const lost = await deliverTurn(session.deps, facts);
    const again = await deliver(session, facts);
    expect(again.types).toEqual(['commit.made', 'branch.pushed', 'pull-request.opened']);
    expect(again.events).toEqual(lost.events);
    expect((await deliver(session, facts)).types).toEqual([]);
    // Only the event of the commit was recorded.
    await write(session.folder, { b: '1' });
    const half = await deliverTurn(session.deps, turn());
    session.record(half.events.slice(0, 1));
    expect((await deliver(session, turn())).types).toContain('branch.pushed');
    expect(session.git.commitCount).toBe(2);
  });

  it('[GW4] preparing again changes nothing and returns the lost event again', async () => {
    const repo = await world.newRepository();
    const session = repo.session();
    const first = await prepareRepository(session.deps);
    expect(await prepareRepository(session.deps)).toEqual(first);
    session.record(first);
    await write(session.folder, { 'src/a.txt': 'changed' });
    expect(await prepareRepository(session.deps)).toEqual([]);
    expect(await readFile(join(session.folder, 'src/a.txt'), 'utf8')).toBe('changed');
  });

  it('[RS5] the arrival script of a repository runs in the call that clones it', async () => {
    const repo = await world.newRepository();
    const session = repo.session();
    const { shell } = session.deps;
    const calls: string[] = [];
    const counted: typeof shell = {
      run: (...call) => {
        calls.push(call[0].join(' '));
        return shell.run(...call);
      },
    };
    const outputs: string[] = [];
    const arrival = Promise.resolve({
      text: `printf '%s\\0' "$PWD" "$1" "$(cat src/a.txt)" "$(git symbolic-ref HEAD)"; false`,
      args: ['an argument'],
      onOutput: (text: string) => outputs.push(text),
    });
    const deps = { ...session.deps, shell: counted };
    const first = await prepareRepository(deps, { arrival });
    // A repository of unknown size is cloned shallow, and its remaining history is fetched afterwards.
    expect(calls.filter((call) => !call.includes('--unshallow'))).toHaveLength(1);
    expect(first).toMatchObject([{ type: 'branch.made' }]);
    session.record(first);
    const answers = [
      session.folder,
      'an argument',
      'one\ntwo\nthree',
      `refs/heads/${session.branch}`,
    ];
    expect(outputs).toEqual([`${answers.join('\0')}\0`]);
    // An existing checkout may have changed since: its caller has to run the script itself.
    await prepareRepository(deps, { arrival });
    expect(outputs).toHaveLength(1);
  });

  it('[GW4] a prewarmed folder receives the whole repository and keeps its inode, however many files there are', async () => {
    const repo = await world.newRepository();
    const many = Array.from({ length: 2_100 }, (_, i) => [`file ${i}`, `${i}\n`] as const);
    await commit(repo.person, { ...Object.fromEntries(many), '.hidden': 'x' });
    await git(repo.person, 'push', '-q', 'origin', 'HEAD:main');
    const session = repo.session();
    await createWarmFolder(session.deps.shell, session.folder);
    const { ino } = await stat(session.folder);
    session.record(await prepareRepository(session.deps));
    expect((await stat(session.folder)).ino).toBe(ino);
    expect(await git(session.folder, 'status', '--porcelain')).toBe('');
    expect((await readdir(session.folder)).length).toBeGreaterThan(2_100);
  });

  it('[GW10] a branch that another person created meanwhile is never overwritten', async () => {
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

  it('[GW12] a default branch of any name; a missing one is reported', async () => {
    const repo = await world.newRepository({ branch: 'trunk' });
    const session = await started(repo.session());
    expect(session.git.base).toBe('trunk');
    const gone = repo.session({ base: 'deleted' });
    await expect(prepareRepository(gone.deps)).rejects.toMatchObject({
      error: { code: 'base-missing' },
    });
  });

  it('[GW12] a base that is renamed or deleted while a session works: the branch is pushed, and the problem reported', async () => {
    const repo = await world.newRepository();
    const session = await started(repo.session());
    await git(repo.person, 'push', '-q', 'origin', 'main:trunk');
    const patched = await fetch(`${world.server.apiUrl}/repos/local/${repo.name}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ default_branch: 'trunk' }),
    });
    expect(patched.status).toBe(200);
    await git(repo.person, 'push', '-q', 'origin', ':main');
    await write(session.folder, { a: '1' });
    const { types, problem } = await deliver(session);
    expect(types).toEqual(['commit.made', 'branch.pushed']);
    expect(problem).toMatchObject({ code: 'base-missing', category: 'user-action' });
  });

  it('[GW13] names of branches: from a card, from a person, taken and conflicting ones', async () => {
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

  it('[GW21] a refusal by the forge is a problem with a remedy; the commit stays and is pushed later', async () => {
    const { person } = await world.newRepository();
    const bindings = { FORGE_API_URL: world.server.apiUrl, FORGE_GIT_URL: world.server.gitUrl };
    const forge = await connectForge(person, bindings);
    const url = `${world.server.gitUrl}/${forge.owner}/${forge.name}.git`;
    const { deps } = (await world.newRepository()).session();
    const session = await started(new TestSession({ ...deps, forge, remoteFor: async () => url }));
    await write(session.folder, { a: '1\n' });
    await deliver(session);
    // The person checks the branch out in their own folder, so the forge refuses pushes to it.
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
});
