import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { prepareRepository, saveCheckpoint } from '../../src/git/index.ts';
import { commit, git, write } from './support/git.ts';
import { deliver, sharedWorld, started } from './support/session-steps.ts';

describe('checkpoints and lost repositories', { timeout: 60_000 }, () => {
  const world = sharedWorld();

  it('[GW18] a checkpoint contains uncommitted and untracked files and does not change the agent’s index', async () => {
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

  it('[GW19] a checkpoint older than the branch is not restored; a person’s push is', async () => {
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

  it('[GW20] a repository that the agent destroyed fails with a remedy and can be restored', async () => {
    const repo = await world.newRepository();
    const session = await started(repo.session());
    await write(session.folder, { a: '1\n' });
    await deliver(session);
    await rm(join(session.folder, '.git'), { recursive: true });
    expect((await deliver(session)).problem?.code).toBe('repository-damaged');
    await expect(saveCheckpoint(session.deps)).rejects.toMatchObject({
      error: { code: 'repository-damaged' },
    });
    await rm(session.folder, { recursive: true });
    session.record(await prepareRepository(session.deps));
    expect(await readFile(join(session.folder, 'a'), 'utf8')).toBe('1\n');
    // A broken index must not lose a turn’s work.
    await write(session.folder, { '.git/index': 'garbage', b: '1' });
    expect((await deliver(session)).types).toContain('branch.pushed');
  });
});
