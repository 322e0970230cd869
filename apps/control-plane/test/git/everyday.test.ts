import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  awaitHistory,
  restartFromBase,
  connectForge,
  prepareRepository,
} from '../../src/git/index.ts';
import { commit, git, repository, write } from './support/git.ts';
import { deliver, sharedWorld, started } from './support/session-steps.ts';

const HISTORY_MS = 30_000;

describe('ordinary repositories', { timeout: 60_000 }, () => {
  const world = sharedWorld();

  it('[EY4] another attempt at a setup starts from the current base', async () => {
    const repo = await world.newRepository();
    const session = await started(repo.session());
    expect(await restartFromBase(session.deps)).toEqual([]);
    // Leftovers of the failed setup, a note of a person, and a file that the base changes too.
    await write(session.folder, {
      'node_modules/half.js': 'half\n',
      '.git/info/exclude': 'node_modules\n',
      'note.txt': 'mine\n',
      'src/a.txt': 'changed by the setup\n',
    });
    await commit(repo.person, { '.ship/setup.sh': 'true\n', 'src/a.txt': 'four\n' }, 'fix: setup');
    await git(repo.person, 'push', '-q', 'origin', 'main');
    const tip = await git(repo.person, 'rev-parse', 'main');
    const events = await restartFromBase(session.deps);
    expect(events).toMatchObject([{ type: 'branch.made', data: { base: 'main', baseSha: tip } }]);
    session.record(events);
    expect(await restartFromBase(session.deps)).toEqual([]);
    const read = (name: string) => readFile(join(session.folder, name), 'utf8');
    expect(await read('.ship/setup.sh')).toBe('true\n');
    expect(await read('src/a.txt')).toBe('four\n');
    expect(await read('note.txt')).toBe('mine\n');
    expect(await git(session.folder, 'status', '--porcelain')).toBe('?? note.txt');
    expect(await git(session.folder, 'rev-parse', session.branch)).toBe(tip);
    await write(session.folder, { 'src/a.txt': 'five\n' });
    expect((await deliver(session)).types).toContain('pull-request.opened');
  });

  it('[EY8] a session on a folder starts from the branch that is checked out there', async () => {
    const bindings = { FORGE_API_URL: world.server.apiUrl, FORGE_GIT_URL: world.server.gitUrl };
    const folder = await repository(join(world.folder, 'current'));
    await git(folder, 'checkout', '-q', '-b', 'topic');
    await commit(folder, { 'topic.txt': 'x\n' }, 'feat: topic');
    const repo = await world.newRepository();
    const onFolder = async (path: string, base: string | null = null) => {
      const forge = await connectForge(path, bindings);
      const remote = `${world.server.gitUrl}/${forge.owner}/${forge.name}.git`;
      const { deps } = repo.session({ base });
      const [made] = await prepareRepository({ ...deps, forge, remoteFor: async () => remote });
      return made?.type === 'branch.made' ? made.data : undefined;
    };
    expect(await onFolder(folder)).toEqual({
      branch: expect.any(String),
      base: 'topic',
      baseSha: await git(folder, 'rev-parse', 'topic'),
    });
    expect(await onFolder(folder, 'main')).toMatchObject({ base: 'main' });
    const linked = join(world.folder, 'current-linked');
    await git(folder, 'worktree', 'add', '-q', '-b', 'side', linked, 'main');
    await write(linked, { 'new.txt': 'x\n' });
    expect(await onFolder(linked)).toMatchObject({
      base: 'side',
      notes: [expect.stringContaining('1 file is not committed')],
    });
    await git(folder, 'checkout', '-q', '--detach');
    expect(await onFolder(folder)).toMatchObject({
      base: 'main',
      notes: [expect.stringContaining('detached')],
    });
  });

  it('[EY11] the first session has the complete history and all branches, like later ones', async () => {
    const repo = await world.newRepository();
    await commit(repo.person, { b: '2' }, 'second');
    await git(repo.person, 'push', '-q', 'origin', 'main', 'main~1:refs/heads/other');
    const session = await started(repo.session());
    await awaitHistory(session.deps.shell, session.folder, HISTORY_MS);
    expect(await git(session.folder, 'rev-parse', '--is-shallow-repository')).toBe('false');
    expect(await git(session.folder, 'rev-list', '--count', 'HEAD')).toBe('2');
    const branches = await git(session.folder, 'branch', '-r', '--format=%(refname:short)');
    expect(branches).toContain('origin/other');
  });
});
