import { chown, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Octokit } from 'octokit';
import { beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder, testForge, type TestForge } from '../support/forge.ts';
import { commit, git } from '../support/git.ts';
import { attempt, poison, register, useFolder, victimFolder } from './hostile-folder.ts';

const isRoot = process.getuid?.() === 0;
const stranger = 54_321;

let forge: TestForge;
let octokit: Octokit;
let base: string;

beforeAll(async () => {
  forge = await testForge();
  octokit = forge.octokit();
  base = await temporaryFolder();
  return () => forge.close();
});

/** Another repository of the same user, which no one registered. */
async function privateRepository(name: string): Promise<string> {
  const folder = join(base, name);
  await git(base, 'init', '-q', '-b', 'main', folder);
  await commit(folder, { 'a.txt': 'private\n' }, 'private');
  return folder;
}

async function expectUntouched(folder: string): Promise<void> {
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('private\n');
  expect((await readdir(folder)).toSorted()).toEqual(['.git', 'a.txt']);
  expect(await git(folder, 'status', '--porcelain')).toBe('');
}

describe('a git folder that leads somewhere else', () => {
  test('[AT-C2b7] attack: core.worktree makes a merge write into another folder of the user', async () => {
    const other = await privateRepository('worktree-target');
    const victim = await victimFolder(base, 'worktree-key');
    await register(forge, victim.folder);
    await poison(victim, `[core]\n\tworktree = ${other}\n`);
    await useFolder(forge, octokit, victim);
    await expectUntouched(other);
  });

  test('[AT-C2b8] attack: a made-up linked worktree makes a merge write into another repository', async () => {
    const other = await privateRepository('linked-target');
    const victim = await victimFolder(base, 'linked');
    const entry = join(victim.gitDir, 'worktrees/fake');
    await mkdir(entry, { recursive: true });
    await writeFile(join(entry, 'gitdir'), `${join(other, '.git')}\n`);
    await writeFile(join(entry, 'commondir'), '../..\n');
    await writeFile(join(entry, 'HEAD'), 'ref: refs/heads/side\n');
    const before = await git(other, 'rev-parse', 'HEAD');
    expect(await useFolder(forge, octokit, victim)).toEqual({
      mergedSide: false,
      mergedMain: true,
    });
    await expectUntouched(other);
    expect(await git(other, 'rev-parse', 'HEAD')).toBe(before);
  });

  test('[AT-C2b9] attack: links in the git folder make pushes write outside of it', async () => {
    for (const part of ['refs/tags', 'logs', 'packed-refs', 'objects/pack']) {
      const name = `link-${part.replace('/', '-')}`;
      const outside = join(base, `${name}-outside`);
      const victim = await victimFolder(base, name);
      await git(victim.folder, 'config', 'core.logAllRefUpdates', 'always');
      const path = join(victim.gitDir, part);
      await git(base, 'init', '-q', outside);
      await mkdir(join(outside, 'target'));
      const { rm } = await import('node:fs/promises');
      await rm(path, { recursive: true, force: true });
      await symlink(join(outside, part === 'packed-refs' ? 'target/file' : 'target'), path);
      const { status, body } = await register(forge, victim.folder);
      expect({ part, status }).toEqual({ part, status: 422 });
      expect(String(body['message'])).toContain('leads out of the git folder');
      expect(await readdir(join(outside, 'target'))).toEqual([]);
    }
  });

  test('[AT-C2b10] attack: .git of a folder names another repository, whose content is then served', async () => {
    const other = await privateRepository('private');
    const byFile = join(base, 'by-file');
    await mkdir(byFile);
    await writeFile(join(byFile, '.git'), `gitdir: ${join(other, '.git')}\n`);
    const byCommon = join(base, 'by-common');
    await mkdir(join(byCommon, '.git'), { recursive: true });
    await writeFile(join(byCommon, '.git/HEAD'), 'ref: refs/heads/main\n');
    await writeFile(join(byCommon, '.git/commondir'), `${join(other, '.git')}\n`);
    for (const folder of [byFile, byCommon]) {
      expect((await register(forge, folder)).status).toBe(422);
      const url = `${forge.gitUrl}/local/${folder.slice(base.length + 1)}.git`;
      expect(await attempt(() => git(base, 'ls-remote', url))).toBeUndefined();
    }
  });

  test.runIf(isRoot)(
    '[AT-C2b11] attack: objects of another account are served through alternates',
    async () => {
      const other = await privateRepository('alternate');
      const sha = await git(other, 'rev-parse', 'main:a.txt');
      const victim = await victimFolder(base, 'borrower');
      await register(forge, victim.folder);
      const objects = join(other, '.git/objects');
      await writeFile(join(victim.gitDir, 'objects/info/alternates'), `${objects}\n`);
      await chown(objects, stranger, stranger);
      const at = { owner: 'local', repo: 'borrower' };
      const blob = await attempt(() => octokit.rest.git.getBlob({ ...at, file_sha: sha }));
      expect(blob).toBeUndefined();
      const url = `${forge.gitUrl}/local/borrower.git`;
      expect(await attempt(() => git(victim.folder, 'ls-remote', url))).toBeUndefined();
    },
  );

  test.runIf(isRoot)(
    '[AT-C2b12] attack: a folder of another account is used with the rights of this one',
    async () => {
      const victim = await victimFolder(base, 'theirs');
      await chown(victim.folder, stranger, stranger);
      const refused = await register(forge, victim.folder);
      expect(refused.status).toBe(422);
      expect(String(refused.body['message'])).toContain('safe.directory');
      await chown(victim.folder, 0, 0);
      expect((await register(forge, victim.folder)).status).toBe(201);
      await chown(victim.gitDir, stranger, stranger);
      const url = `${forge.gitUrl}/local/theirs.git`;
      expect(await attempt(() => git(base, 'ls-remote', url))).toBeUndefined();
    },
  );
});
