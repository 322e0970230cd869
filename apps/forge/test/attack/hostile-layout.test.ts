import { chown, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { folderWorld } from '../support/folder-world.ts';
import { commit, git } from '../support/git.ts';
import { attempt, poison, register, useFolder, victimFolder } from './hostile-folder.ts';

const isRoot = process.getuid?.() === 0;
const otherUid = 54_321;

const world = folderWorld();

/** Another, unregistered repository of the same user. */
async function privateRepository(name: string): Promise<string> {
  const folder = join(world.base, name);
  await git(world.base, 'init', '-q', '-b', 'main', folder);
  await commit(folder, { 'a.txt': 'private\n' }, 'private');
  return folder;
}

async function expectUntouched(folder: string): Promise<void> {
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('private\n');
  expect((await readdir(folder)).toSorted()).toEqual(['.git', 'a.txt']);
  expect(await git(folder, 'status', '--porcelain')).toBe('');
}

describe('[LF5] a git folder that points elsewhere', () => {
  test('[AT-C2b7] attack: core.worktree makes a merge write into another folder of the user', async () => {
    const other = join(world.base, 'home');
    await mkdir(other);
    // main has no files, so that the other folder looks like a clean checkout of it.
    const folder = join(world.base, 'worktree-key');
    await git(world.base, 'init', '-q', '-b', 'main', folder);
    await commit(folder, {}, 'empty');
    await git(folder, 'branch', 'side');
    await git(folder, 'checkout', '-q', '-b', 'topic');
    await commit(folder, { 'planted.txt': 'run me\n' });
    await git(folder, 'checkout', '-q', 'main');
    const victim = { folder, gitDir: join(folder, '.git'), name: 'worktree-key' };
    await register(world.forge, folder);
    await poison(victim, `[core]\n\tworktree = ${other}\n`);
    await useFolder(world.forge, world.octokit, victim);
    expect(await readdir(other)).toEqual([]);
  });

  test('[AT-C2b8] attack: a made-up linked worktree makes a merge write into another repository', async () => {
    const other = await privateRepository('linked-target');
    const victim = await victimFolder(world.base, 'linked');
    const entry = join(victim.gitDir, 'worktrees/fake');
    await mkdir(entry, { recursive: true });
    await writeFile(join(entry, 'gitdir'), `${join(other, '.git')}\n`);
    await writeFile(join(entry, 'commondir'), '../..\n');
    await writeFile(join(entry, 'HEAD'), 'ref: refs/heads/side\n');
    const before = await git(other, 'rev-parse', 'HEAD');
    expect(await useFolder(world.forge, world.octokit, victim)).toEqual({
      mergedSide: false,
      mergedMain: true,
    });
    await expectUntouched(other);
    expect(await git(other, 'rev-parse', 'HEAD')).toBe(before);
  });

  test('[AT-C2b9] attack: links in the git folder make pushes write outside of it', async () => {
    for (const part of ['refs/ship', 'refs/tags', 'logs', 'packed-refs']) {
      const victim = await victimFolder(world.base, `link-${part.replace('/', '-')}`);
      const outside = join(world.base, `${victim.name}-outside`);
      await mkdir(outside);
      const path = join(victim.gitDir, part);
      await rm(path, { recursive: true, force: true });
      await symlink(part === 'packed-refs' ? join(outside, 'file') : outside, path);
      const { body } = await register(world.forge, victim.folder);
      const url = `${world.forge.gitUrl}/local/${victim.name}.git`;
      const refs = ['main:refs/heads/new', 'main:refs/tags/new', 'main:refs/ship/new'];
      await attempt(() => git(victim.folder, 'push', '-q', url, ...refs));
      await attempt(() => git(victim.folder, 'push', '-q', url, ':refs/heads/side'));
      expect({ part, written: await readdir(outside) }).toEqual({ part, written: [] });
      expect(String(body['message'])).toContain('points outside the git folder');
    }
  });

  test('[AT-C2b10] attack: .git of a folder names another repository, whose content is then served', async () => {
    const other = await privateRepository('private');
    const byFile = join(world.base, 'by-file');
    await mkdir(byFile);
    await writeFile(join(byFile, '.git'), `gitdir: ${join(other, '.git')}\n`);
    const byCommon = join(world.base, 'by-common');
    await mkdir(join(byCommon, '.git'), { recursive: true });
    await writeFile(join(byCommon, '.git/HEAD'), 'ref: refs/heads/main\n');
    await writeFile(join(byCommon, '.git/commondir'), `${join(other, '.git')}\n`);
    for (const folder of [byFile, byCommon]) {
      expect((await register(world.forge, folder)).status).toBe(422);
      const url = `${world.forge.gitUrl}/local/${folder.slice(world.base.length + 1)}.git`;
      expect(await attempt(() => git(world.base, 'ls-remote', url))).toBeUndefined();
    }
  });
});

describe('[LF6] folders of another account', () => {
  test.runIf(isRoot)(
    '[AT-C2b11] attack: objects of another account are served through alternates',
    async () => {
      const other = await privateRepository('alternate');
      const sha = await git(other, 'rev-parse', 'main:a.txt');
      const victim = await victimFolder(world.base, 'borrower');
      await register(world.forge, victim.folder);
      const objects = join(other, '.git/objects');
      await writeFile(join(victim.gitDir, 'objects/info/alternates'), `${objects}\n`);
      await chown(objects, otherUid, otherUid);
      const at = { owner: 'local', repo: 'borrower' };
      const blob = await attempt(() => world.octokit.rest.git.getBlob({ ...at, file_sha: sha }));
      expect(blob).toBeUndefined();
      const url = `${world.forge.gitUrl}/local/borrower.git`;
      expect(await attempt(() => git(victim.folder, 'ls-remote', url))).toBeUndefined();
    },
  );

  test.runIf(isRoot)(
    '[AT-C2b12] attack: a folder of another account is used with the rights of this one',
    async () => {
      const victim = await victimFolder(world.base, 'theirs');
      await chown(victim.folder, otherUid, otherUid);
      const refused = await register(world.forge, victim.folder);
      expect(refused.status).toBe(422);
      expect(String(refused.body['message'])).toContain('safe.directory');
      await chown(victim.folder, 0, 0);
      expect((await register(world.forge, victim.folder)).status).toBe(201);
      await chown(victim.gitDir, otherUid, otherUid);
      const url = `${world.forge.gitUrl}/local/theirs.git`;
      expect(await attempt(() => git(world.base, 'ls-remote', url))).toBeUndefined();
      const settings = join(world.base, 'gitconfig');
      await writeFile(settings, `[safe]\n\tdirectory = ${victim.folder}\n`);
      vi.stubEnv('GIT_CONFIG_GLOBAL', settings);
      expect(await git(world.base, 'ls-remote', url)).toContain('refs/heads/main');
      vi.unstubAllEnvs();
    },
  );
});
