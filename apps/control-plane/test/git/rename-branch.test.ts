import { describe, expect, it } from 'vitest';
import { renameBranch } from '../../src/git/index.ts';
import { git, write } from './support/git.ts';
import { deliver, sharedWorld, started } from './support/session-steps.ts';
import { TestSession } from './support/world.ts';

/** The same session under a title that was found meanwhile. */
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

describe('the name of a branch that nobody has seen', { timeout: 60_000 }, () => {
  const world = sharedWorld();

  it('[NA5] follows the title, and the work goes out under it alone', async () => {
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
    // Seen: it stays, whatever it is called from now on.
    expect(await rename(titled(session, 'Something else'))).toEqual([]);
  });

  it('[NA5] is not asked for again when it is right, nor when a person chose it', async () => {
    const repo = await world.newRepository();
    expect(await rename(await started(repo.session()))).toEqual([]);
    const chosen = await started(repo.session({ branch: 'mine' }));
    expect(await rename(titled(chosen, 'Another'))).toEqual([]);
    expect(chosen.branch).toBe('mine');
  });

  it('[NA5] a push of which nobody heard any more counts as seen', async () => {
    const repo = await world.newRepository();
    const session = await started(repo.session());
    await git(session.folder, 'push', '-q', repo.url, `HEAD:refs/heads/${session.branch}`);
    expect(await rename(titled(session, 'Another'))).toEqual([]);
  });

  it('[NA5] a crash after it was written down loses nothing: the work is found on the old one', async () => {
    const repo = await world.newRepository();
    const session = titled(await started(repo.session()), 'Another');
    await write(session.folder, { a: '1' });
    // Written down, and nothing of it done in the sandbox.
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

  it('[NA5] an agent that is on another branch is left there', async () => {
    const repo = await world.newRepository();
    const session = titled(await started(repo.session()), 'Another');
    await git(session.folder, 'switch', '-q', '-c', 'detour');
    await rename(session);
    expect(await git(session.folder, 'symbolic-ref', '--short', 'HEAD')).toBe('detour');
    await write(session.folder, { a: '1' });
    expect((await deliver(session)).types).toContain('pull-request.opened');
  });
});
