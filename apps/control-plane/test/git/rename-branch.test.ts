import { describe, expect, it } from 'vitest';
import { renameBranch } from '../../src/git/index.ts';
import { git, write } from './support/git.ts';
import { deliver, sharedWorld, started } from './support/session-steps.ts';
import { TestSession } from './support/world.ts';

/** The same session under another title. */
function titled(session: TestSession, title: string): TestSession {
  const { git: state, ...deps } = session.deps;
  const next = new TestSession({ ...deps, session: { ...deps.session, title } });
  next.git = state;
  return next;
}

const rename = async (session: TestSession): Promise<string[]> => {
  const types: string[] = [];
  await renameBranch(session.deps, (events) => types.push(...session.record(events)));
  return types;
};

describe('the name of an unpublished branch', { timeout: 60_000 }, () => {
  const world = sharedWorld();

  it('[NA5] follows the title, and the work is pushed under the new name only', async () => {
    const repo = await world.newRepository();
    const first = await started(repo.session());
    const session = titled(first, 'Count the last page');
    await write(session.folder, { a: '1' });
    expect(await rename(session)).toEqual(['branch.renamed']);
    expect(session.branch).toMatch(/^ship-count-the-last-page-\d{12}-/);
    expect(await git(session.folder, 'symbolic-ref', '--short', 'HEAD')).toBe(session.branch);
    expect(await git(session.folder, 'branch', '--format=%(refname:short)')).not.toContain(
      first.branch,
    );
    expect((await deliver(session)).types).toContain('pull-request.opened');
    const heads = await git(repo.person, 'ls-remote', '--heads', repo.url);
    expect(heads).toContain(`refs/heads/${session.branch}`);
    expect(heads).not.toContain(first.branch);
    // Once it is published, the name stays, even when the title changes.
    expect(await rename(titled(session, 'Something else'))).toEqual([]);
  });

  it('[NA5] stays when it already matches, or when a person chose it', async () => {
    const repo = await world.newRepository();
    expect(await rename(await started(repo.session()))).toEqual([]);
    const chosen = await started(repo.session({ branch: 'mine' }));
    expect(await rename(titled(chosen, 'Another'))).toEqual([]);
    expect(chosen.branch).toBe('mine');
  });

  it('[NA5] a push whose event was lost counts as published', async () => {
    const repo = await world.newRepository();
    const session = await started(repo.session());
    await git(session.folder, 'push', '-q', repo.url, `HEAD:refs/heads/${session.branch}`);
    expect(await rename(titled(session, 'Another'))).toEqual([]);
  });

  it('[NA5] a crash after the rename was recorded loses nothing: the work is found on the old branch', async () => {
    const repo = await world.newRepository();
    const session = titled(await started(repo.session()), 'Another');
    await write(session.folder, { a: '1' });
    // The rename is recorded, but not yet carried out in the sandbox.
    const broken = { ...session.deps.shell, run: () => Promise.reject(new Error('gone')) };
    const dying = renameBranch({ ...session.deps, shell: broken }, (events) =>
      session.record(events),
    );
    await expect(dying).rejects.toThrow('gone');
    expect(session.branch).toContain('ship-another-');
    const { types, problem } = await deliver(session);
    expect(problem).toBeNull();
    expect(types).toContain('pull-request.opened');
    expect(await git(session.folder, 'symbolic-ref', '--short', 'HEAD')).toBe(session.branch);
    expect(await git(session.folder, 'status', '--porcelain')).toBe('');
  });

  it('[NA5] an agent on another branch stays there', async () => {
    const repo = await world.newRepository();
    const session = titled(await started(repo.session()), 'Another');
    await git(session.folder, 'switch', '-q', '-c', 'detour');
    await rename(session);
    expect(await git(session.folder, 'symbolic-ref', '--short', 'HEAD')).toBe('detour');
    await write(session.folder, { a: '1' });
    expect((await deliver(session)).types).toContain('pull-request.opened');
  });
});
