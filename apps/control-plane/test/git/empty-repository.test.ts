import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectForge, prepareRepository, saveCheckpoint } from '../../src/git/index.ts';
import { commit, git, gitFailure, repository, write } from './support/git.ts';
import { deliver, sharedWorld, started } from './support/session-steps.ts';
import { TestSession } from './support/world.ts';

const DELIVERED = ['commit.made', 'branch.pushed', 'pull-request.opened'];

const notesOf = ({ events }: TestSession) => {
  const made = events.find(({ type }) => type === 'branch.made');
  return made?.type === 'branch.made' ? (made.data.notes ?? []).join('\n') : '';
};
const crashed = () => Promise.reject(new Error('crashed'));

describe('a repository without any commit', { timeout: 60_000 }, () => {
  const world = sharedWorld();

  /** A folder of the user after `git init`, without a commit. */
  const emptyFolder = async (name: string, branch: string, files: Record<string, string> = {}) => {
    const folder = join(world.folder, name);
    await mkdir(folder);
    await git(folder, 'init', '-q', '-b', branch);
    await write(folder, files);
    return folder;
  };
  const onFolder = async (folder: string): Promise<TestSession> => {
    const bindings = { FORGE_API_URL: world.server.apiUrl, FORGE_GIT_URL: world.server.gitUrl };
    const forge = await connectForge(folder, bindings);
    const repo = await world.newRepository();
    return repo.session().on(forge, `${world.server.gitUrl}/${forge.owner}/${forge.name}.git`);
  };
  it('[GW28] at the forge: nothing is created until there is work; then an empty base and a draft pull request', async () => {
    const repo = await world.newRepository({ isEmpty: true });
    const session = await started(repo.session());
    expect(session.git).toMatchObject({ base: 'main', baseSha: expect.any(String) as string });
    expect(notesOf(session)).toContain('has no commit yet');
    expect((await deliver(session)).types).toEqual([]);
    expect(await repo.forge.hasRefsBelow('heads')).toBe(false);
    await write(session.folder, { 'first.txt': '1\n' });
    const { types, problem } = await deliver(session);
    expect(problem).toBeNull();
    expect(types).toEqual(DELIVERED);
    const { number = 0 } = session.git.pullRequest ?? {};
    const pull = await repo.forge.pullRequest(number);
    expect(pull).toMatchObject({ base: 'main', draft: true });
    const { files } = await repo.forge.compare(session.git.baseSha ?? '', pull.headSha);
    expect(files.map(({ path }) => path)).toEqual(['first.txt']);
    expect(await repo.forge.refSha('heads/main')).toBe(session.git.baseSha);
    expect(await repo.forge.folder('', session.git.baseSha ?? '')).toEqual([]);
    expect((await repo.forge.repository()).defaultBranch).toBe('main');
    await repo.forge.markReady(number);
    await repo.forge.merge(number, 'merge', session.git.pushedSha ?? '');
    await git(world.folder, 'clone', '-q', repo.url, 'cloned');
    expect(await readFile(join(world.folder, 'cloned', 'first.txt'), 'utf8')).toBe('1\n');
  });

  it('[GW28] the base has the name that a person chose, or HEAD’s', async () => {
    const repo = await world.newRepository({ isEmpty: true, branch: 'trunk' });
    expect((await started(repo.session())).git.base).toBe('trunk');
    expect((await started(repo.session({ base: 'develop' }))).git.base).toBe('develop');
    const folder = await emptyFolder('renamed', 'main');
    await onFolder(folder);
    await git(folder, 'symbolic-ref', 'HEAD', 'refs/heads/later');
    expect((await started(await onFolder(folder))).git.base).toBe('later');
  });

  it('[GW28] a folder with files and no commit: they stay unchanged, and the session says that it has none of them', async () => {
    const files = { 'mine.txt': 'mine\n', 'staged.txt': 'staged\n' };
    const folder = await emptyFolder('full', 'trunk', files);
    await git(folder, 'add', 'staged.txt');
    const before = await git(folder, 'status', '--porcelain');
    const session = await started(await onFolder(folder));
    expect(notesOf(session)).toMatch(/2 files are not committed.*commit them/s);
    expect((await readdir(session.folder)).sort()).toEqual(['.git']);
    await write(session.folder, { 'new.txt': 'new\n' });
    const { types, problem } = await deliver(session);
    expect(problem).toBeNull();
    expect(types).toEqual(DELIVERED);
    expect(await git(folder, 'status', '--porcelain')).toBe(before);
    expect(await git(folder, 'branch', '--show-current')).toBe('trunk');
    for (const [name, text] of Object.entries(files))
      expect(await readFile(join(folder, name), 'utf8')).toBe(text);
    expect(await git(folder, 'show', `${session.branch}:new.txt`)).toBe('new');
  });

  it('[GW28] a merge into such a folder adds the files of the work and overwrites none', async () => {
    const folder = await emptyFolder('merged', 'main', { 'same.txt': 'mine\n' });
    const session = await started(await onFolder(folder));
    await write(session.folder, { 'same.txt': 'theirs\n' });
    await deliver(session);
    const { forge } = session.deps;
    const { number = 0 } = session.git.pullRequest ?? {};
    await forge.markReady(number);
    const merge = () => forge.merge(number, 'merge', session.git.pushedSha ?? '');
    await expect(merge()).rejects.toMatchObject({
      error: { message: expect.stringContaining('same.txt') as string },
    });
    expect(await readFile(join(folder, 'same.txt'), 'utf8')).toBe('mine\n');
    await rm(join(folder, 'same.txt'));
    await merge();
    expect(await readFile(join(folder, 'same.txt'), 'utf8')).toBe('theirs\n');
    expect(await git(folder, 'status', '--porcelain')).toBe('');
  });

  it('[GW28] only a commit without files may create the branch that is checked out', async () => {
    const folder = await emptyFolder('guarded', 'main', { 'mine.txt': 'mine\n' });
    const { deps } = await onFolder(folder);
    const remote = await deps.remoteFor('any');
    const other = await repository(join(world.folder, 'other'));
    expect(await gitFailure(other, 'push', remote, 'main')).toContain('first commit');
    expect(await deps.forge.refSha('heads/main')).toBeNull();
    await git(other, 'push', '-q', remote, 'main:side');
    expect(await git(folder, 'status', '--porcelain')).toBe('?? mine.txt');
  });

  it('[GW28] a first commit that another person pushes meanwhile is merged in and becomes the pull request’s base', async () => {
    const repo = await world.newRepository({ isEmpty: true });
    const session = await started(repo.session());
    await write(session.folder, { 'ours.txt': '1\n' });
    await repository(repo.person);
    await git(repo.person, 'push', '-q', repo.url, 'main');
    const theirs = await git(repo.person, 'rev-parse', 'main');
    const { types, problem, conflict } = await deliver(session);
    expect({ problem, conflict }).toEqual({ problem: null, conflict: null });
    expect(types).toEqual(expect.arrayContaining(['base.merged', ...DELIVERED]));
    expect(session.git.baseSha).toBe(theirs);
    expect(await repo.forge.refSha('heads/main')).toBe(theirs);
    expect(await readFile(join(session.folder, 'README.md'), 'utf8')).toBe('# app\n');
    const { files } = await repo.forge.compare(theirs, session.git.pushedSha ?? '');
    expect(files.map(({ path }) => path)).toEqual(['ours.txt']);
  });

  it('[GW28] a conflict with such a commit is a task for the agent', async () => {
    const repo = await world.newRepository({ isEmpty: true });
    const session = await started(repo.session());
    await write(session.folder, { 'README.md': 'ours\n' });
    await repository(repo.person);
    await git(repo.person, 'push', '-q', repo.url, 'main');
    const { types, conflict } = await deliver(session);
    expect(types).toEqual(['commit.made', 'git.conflicted']);
    const expected = { with: 'base', ref: 'origin/main', files: ['README.md'], unrelated: true };
    expect(conflict).toMatchObject(expected);
    expect(session.git.conflict).toMatchObject(expected);
    await git(session.folder, 'merge', '--allow-unrelated-histories', 'origin/main').catch(
      () => undefined,
    );
    await write(session.folder, { 'README.md': 'both\n' });
    expect((await deliver(session)).types).toEqual(
      expect.arrayContaining(['base.merged', 'git.conflict-resolved', ...DELIVERED]),
    );
  });

  it('[GW28] two sessions at once: one creates the base, both deliver', async () => {
    const repo = await world.newRepository({ isEmpty: true });
    const sessions = await Promise.all([started(repo.session()), started(repo.session())]);
    await Promise.all(
      sessions.map((session, i) => write(session.folder, { [`${i}.txt`]: `${i}\n` })),
    );
    const deliveries = await Promise.all(sessions.map((session) => deliver(session)));
    expect(deliveries.map(({ problem }) => problem)).toEqual([null, null]);
    const numbers = sessions.map(({ git: { pullRequest } }) => pullRequest?.number);
    expect(new Set(numbers).size).toBe(2);
  });

  it('[GW28] a lost sandbox is restored, before and after the first delivery', async () => {
    const repo = await world.newRepository({ isEmpty: true });
    const session = await started(repo.session());
    const untouched = session.inNewSandbox(join(world.folder, 'back-0'));
    expect(untouched.record(await prepareRepository(untouched.deps))).toEqual([]);
    await write(untouched.folder, { 'half.txt': '1\n' });
    expect(untouched.record(await saveCheckpoint(untouched.deps))).toEqual(['checkpoint.saved']);
    const saved = untouched.inNewSandbox(join(world.folder, 'back-1'));
    expect(saved.record(await prepareRepository(saved.deps))).toEqual(['work.restored']);
    expect((await deliver(saved)).types).toEqual(DELIVERED);
    const pushed = saved.inNewSandbox(join(world.folder, 'back-2'));
    expect(pushed.record(await prepareRepository(pushed.deps))).toContain('work.restored');
    expect(await readFile(join(pushed.folder, 'half.txt'), 'utf8')).toBe('1\n');
    expect((await deliver(pushed)).types).toEqual([]);
  });

  it('[GW4] a crash between creating the base and pushing the work has the same result', async () => {
    const repo = await world.newRepository({ isEmpty: true });
    const session = await started(repo.session());
    await write(session.folder, { 'a.txt': '1\n' });
    const { deps } = session;
    const broken = new TestSession({ ...deps, remoteFor: crashed });
    broken.git = session.git;
    await expect(deliver(broken)).rejects.toThrow('crashed');
    expect(await repo.forge.refSha('heads/main')).toBe(session.git.baseSha);
    expect(await repo.forge.refSha(`heads/${session.branch}`)).toBeNull();
    expect((await deliver(session)).types).toEqual(DELIVERED);
  });

  it('[GW21] a forge that refuses the base: the reason is reported, nothing is pushed, and the work is pushed later', async () => {
    const repo = await world.newRepository({ isEmpty: true });
    const session = await started(repo.session());
    await write(session.folder, { 'a.txt': '1\n' });
    const begin = repo.forge.createBranch.bind(repo.forge);
    repo.forge.createBranch = (branch, first) => begin(`${branch}.lock`, first);
    const { types, problem } = await deliver(session);
    expect(types).toEqual(['commit.made']);
    expect(problem).toMatchObject({
      code: 'push-refused',
      message: expect.stringContaining('main') as string,
      remedy: expect.stringContaining('first commit') as string,
    });
    expect(await repo.forge.hasRefsBelow('heads')).toBe(false);
    repo.forge.createBranch = begin;
    expect((await deliver(session)).types).toEqual(['branch.pushed', 'pull-request.opened']);
  });

  it('[GW28] a commit that the agent makes itself is delivered like any other', async () => {
    const repo = await world.newRepository({ isEmpty: true });
    const session = await started(repo.session());
    await commit(session.folder, { 'a.txt': '1\n' }, 'feat: by the agent');
    expect((await deliver(session)).types).toEqual(DELIVERED);
  });
});
