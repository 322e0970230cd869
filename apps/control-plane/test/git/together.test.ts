import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { observeForge, updateFromBase } from '../../src/git/index.ts';
import { commit, git, write } from './support/git.ts';
import { deliver, sharedWorld, started } from './support/session-steps.ts';
import { turn } from './support/world.ts';

describe('commits of people and of the agent’s own git', { timeout: 60_000 }, () => {
  const world = sharedWorld();

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

  it('[GW6] a conflict with a person’s push is returned for the agent, and delivered once resolved', async () => {
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
    // The agent merges, and first leaves the conflict markers in.
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

  it('[GW7] a base that moved is merged in, also into a shallow clone', async () => {
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

  it('[GW7] a conflict with the base is returned for the agent, and the diff updates once it has merged', async () => {
    const repo = await world.newRepository();
    const session = await started(repo.session());
    await write(session.folder, { 'src/a.txt': 'ours\n' });
    await deliver(session);
    const base = await commit(repo.person, { 'src/a.txt': 'base\n' });
    await git(repo.person, 'push', '-q', 'origin', 'main');
    const { events, conflict } = await updateFromBase(session.deps, turn());
    session.record(events);
    expect(conflict).toMatchObject({ with: 'base', ref: 'origin/main', files: ['src/a.txt'] });
    expect(conflict).not.toHaveProperty('unrelated');
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

  it('[GW8] amended history overwrites Ship’s own commit, never another person’s', async () => {
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
      'fix: correct the total',
    ]);
    expect(await git(session.folder, 'symbolic-ref', '--short', 'HEAD')).toBe(session.branch);
    await git(session.folder, 'checkout', '-q', 'main');
    await git(session.folder, 'checkout', '-q', '--detach');
    await write(session.folder, { third: '1' });
    expect((await deliver(session)).types).toContain('branch.pushed');
    for (const file of ['idea', 'more', 'third'])
      expect(await readFile(join(session.folder, file), 'utf8')).toBe('1');
  });
});
