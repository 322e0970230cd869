import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sessionEvent } from '@ship/core';
import { describe, expect, it } from 'vitest';
import { treesOf, updateFromBase, workingTreeDiff } from '../../src/git/index.ts';
import { commit, git, write } from './support/git.ts';
import { deliver, sharedWorld, started } from './support/session-steps.ts';
import { type TestSession, turn } from './support/world.ts';

const LOCK = 'package-lock.json';

/** Writes files as the setup or the tests would, and records the change. */
const leave = async (
  session: TestSession,
  by: 'setup' | 'tests',
  files: Record<string, string>,
) => {
  const { shell, folder } = session.deps;
  const before = await treesOf(shell, folder, session.git.leftovers);
  await write(folder, files);
  const after = await treesOf(shell, folder, session.git.leftovers);
  const trees = { fromTree: before.treeSha, toTree: after.treeSha };
  session.record([sessionEvent('files.left-behind', { by, ...trees })]);
};
const filesOf = async (session: TestSession) => {
  const shown = await git(session.folder, 'show', '--format=', '--name-only', 'HEAD');
  return shown.split('\n').filter((line) => line !== '');
};

describe('leftovers of setup and tests', { timeout: 120_000 }, () => {
  const world = sharedWorld();

  const withLock = async () => {
    const repo = await world.newRepository();
    await commit(repo.person, { [LOCK]: 'v1\n', 'package.json': '{}\n' }, 'feat: lock');
    await git(repo.person, 'push', '-q', 'origin', 'main');
    return { repo, session: await started(repo.session()) };
  };

  it('[GW27] files that a setup wrote are not committed, unless the agent changes them afterwards', async () => {
    const { repo, session } = await withLock();
    await leave(session, 'setup', { [LOCK]: 'v1 rewritten\n', 'gen/out.txt': 'generated\n' });
    const { shell, folder } = session.deps;
    const diff = () => workingTreeDiff(shell, folder, session.git.baseSha, session.git.leftovers);
    expect((await diff()).files).toEqual([]);
    await write(folder, { 'src/a.txt': 'work\n' });
    await deliver(session);
    expect(await filesOf(session)).toEqual(['src/a.txt']);
    expect(await readFile(join(folder, LOCK), 'utf8')).toBe('v1\n');
    expect(existsSync(join(folder, 'gen/out.txt'))).toBe(true);
    // The agent changes them on purpose: the lock file with its manifest, and the generated file.
    await write(folder, { [LOCK]: 'v2\n', 'package.json': '{"a":1}\n', 'gen/out.txt': 'better\n' });
    await deliver(session);
    expect(await filesOf(session)).toEqual(['gen/out.txt', LOCK, 'package.json']);
    // Leftovers on disk do not block a merge of the base.
    await commit(repo.person, { 'README.md': 'news\n' }, 'docs: news');
    await git(repo.person, 'push', '-q', 'origin', 'main');
    const merged = await updateFromBase(session.deps, { turnId: null, summary: null });
    expect(merged).toMatchObject({ conflict: null, problem: null });
  });

  it('[GW27] of the files that tests change, only lock files and generated folders are left out', async () => {
    const { session } = await withLock();
    await leave(session, 'tests', {
      [LOCK]: 'by tests\n',
      'dist/x.js': '1\n',
      'src/a.txt': 'person\n',
    });
    await deliver(session);
    expect(await filesOf(session)).toEqual(['src/a.txt']);
  });

  it('[GW27] a lock file without its manifest, and caches, are by-products; the commit lists the first', async () => {
    const { session } = await withLock();
    await write(session.folder, {
      [LOCK]: 'churn\n',
      'src/a.txt': 'work\n',
      '__pycache__/a.pyc': 'x',
      'node_modules/x/index.js': 'x',
    });
    const { events } = await deliver(session);
    expect(await filesOf(session)).toEqual(['src/a.txt']);
    expect(events[0]).toMatchObject({ data: { skipped: [{ path: LOCK, reason: 'by-product' }] } });
    await write(session.folder, { [LOCK]: 'newer\n', 'src/a.txt': 'more\n' });
    await deliver(session, turn('x', 'Upgraded all dependencies.'));
    expect(await filesOf(session)).toEqual([LOCK, 'src/a.txt']);
  });

  it('[GN7] commit messages follow the style of the base; its commitlint rules override its history', async () => {
    const repo = await world.newRepository();
    for (const subject of ['Teach carts to sum', 'Drop old totals (#12)'])
      await commit(repo.person, { x: subject }, subject);
    await git(repo.person, 'push', '-q', 'origin', 'main');
    const session = await started(repo.session());
    await git(session.folder, 'fetch', '-q', '--unshallow').catch(() => undefined);
    await write(session.folder, { 'src/a.txt': 'work\n' });
    await deliver(session, turn('please do it', 'Done. I renamed `snake_case` to *args.'));
    expect(session.git.commits[0]?.message).toBe('Rename snake_case to *args');
    const rules = "module.exports = { rules: { 'type-enum': [2, 'always', ['task', 'bug']] } };\n";
    await commit(repo.person, { 'commitlint.config.js': rules }, 'Add rules');
    await git(repo.person, 'push', '-q', 'origin', 'main');
    const ruled = await started(repo.session());
    await write(ruled.folder, { 'src/a.txt': 'work\n' });
    await deliver(ruled, turn('please do it', 'Fixed the total.'));
    expect(ruled.git.commits[0]?.message).toBe('bug: Fix the total');
  });
});
