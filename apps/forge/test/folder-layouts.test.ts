/** Common settings and layouts of users' repositories. */
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { register, useFolder, type Victim, victimFolder } from './attack/hostile-folder.ts';
import { folderWorld } from './support/folder-world.ts';
import { commit, git } from './support/git.ts';

const world = folderWorld();

const merged = { mergedSide: true, mergedMain: true };
const use = (victim: Victim) => useFolder(world.forge, world.octokit, victim);

async function expectClean({ folder }: Victim): Promise<void> {
  expect(await git(folder, 'status', '--porcelain')).toBe('');
  expect(await git(folder, 'log', '-1', '--format=%P', 'main')).toContain(' ');
  expect(await git(folder, 'fsck', '--no-dangling')).toBe('');
}

describe('settings', () => {
  test('[LF1] harmless settings are ignored, and those that change files are respected', async () => {
    const victim = await victimFolder(world.base, 'settings');
    for (const [key, value] of [
      ['user.name', 'Ada'],
      ['remote.origin.url', 'https://example.com/app.git'],
      ['remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*'],
      ['branch.main.remote', 'origin'],
      ['branch.main.merge', 'refs/heads/main'],
      ['core.autocrlf', 'true'],
      ['pull.rebase', 'true'],
    ] as const)
      await git(victim.folder, 'config', key, value);
    await git(victim.folder, 'pack-refs', '--all');
    expect(await use(victim)).toEqual(merged);
    await expectClean(victim);
    expect(await readFile(join(victim.folder, 'b.txt'), 'utf8')).toBe('b\r\n');
    expect(await git(victim.folder, 'reflog', 'main')).toContain('ship forge: merge pull request');
  });

  test('[LF1] a sparse checkout stays sparse', async () => {
    const victim = await victimFolder(world.base, 'sparse');
    await git(victim.folder, 'checkout', '-q', 'topic');
    await commit(victim.folder, { 'in/x.txt': 'x\n', 'out/y.txt': 'y\n' });
    await git(victim.folder, 'checkout', '-q', 'main');
    await git(victim.folder, 'sparse-checkout', 'set', 'in');
    expect(await use(victim)).toEqual(merged);
    await expectClean(victim);
    expect(await readFile(join(victim.folder, 'in/x.txt'), 'utf8')).toBe('x\n');
    await expect(readFile(join(victim.folder, 'out/y.txt'))).rejects.toThrow('ENOENT');
  });

  test('[LF2] unsupported formats are refused at registration and at each use', async () => {
    const { folder, gitDir } = await victimFolder(world.base, 'refused');
    await register(world.forge, folder);
    const config = join(gitDir, 'config');
    const before = await readFile(config, 'utf8');
    const message = async (extra: string) => {
      await writeFile(config, `${before}${extra}`);
      const { body, status } = await register(world.forge, folder);
      expect(status).toBe(422);
      const listed = await fetch(`${world.forge.apiUrl}/repos/local/refused/commits`);
      expect(listed.status).toBe(422);
      return String(body['message']);
    };
    expect(await message('[extensions]\n\tobjectFormat = sha256\n')).toContain('SHA-256');
    expect(await message('[remote "x"]\n\tpromisor = true\n')).toContain('partial clone');
    expect(await message('[broken\n')).toContain('cannot be read: bad config line');
    await writeFile(config, before);
    await writeFile(join(gitDir, 'HEAD'), 'nonsense\n');
    const listed = await fetch(`${world.forge.apiUrl}/repos/local/refused/commits?sha=HEAD`);
    expect(listed.status).toBe(422);
  });
});

describe('layouts', () => {
  test('[LF3] a separate git folder, a borrowed object store and a submodule', async () => {
    const source = await victimFolder(world.base, 'source');
    const separate = join(world.base, 'separate');
    await git(
      world.base,
      'clone',
      '-q',
      '--shared',
      '--separate-git-dir',
      join(world.base, 'elsewhere.git'),
      source.folder,
      separate,
    );
    const sub = await victimFolder(world.base, 'super');
    const protocol = ['-c', 'protocol.file.allow=always'];
    await git(sub.folder, ...protocol, 'submodule', '--quiet', 'add', source.folder, 'sub');
    for (const [folder, name] of [
      [separate, 'separate'],
      [join(sub.folder, 'sub'), 'sub'],
    ] as const) {
      await git(folder, 'branch', 'side', 'origin/side');
      await git(folder, 'branch', 'topic', 'origin/topic');
      const victim = { folder, gitDir: await git(folder, 'rev-parse', '--absolute-git-dir'), name };
      expect(await use(victim)).toEqual(merged);
      await expectClean(victim);
      expect(await readFile(join(folder, 'b.txt'), 'utf8')).toBe('b\n');
    }
  });

  test('[LF3] a bare repository whose config says nothing', async () => {
    const source = await victimFolder(world.base, 'bare-source');
    const folder = join(world.base, 'plain.git');
    await git(world.base, 'clone', '-q', '--bare', source.folder, folder);
    await rm(join(folder, 'config'));
    expect(await use({ folder, gitDir: folder, name: 'plain' })).toEqual(merged);
    await git(
      source.folder,
      'push',
      '-q',
      '-f',
      `${world.forge.gitUrl}/local/plain.git`,
      'side:main',
    );
    expect(await git(folder, 'rev-parse', 'main')).toBe(
      await git(source.folder, 'rev-parse', 'side'),
    );
  });

  test('[LF3] linked worktrees: one that is registered, and a merge into the branch of another', async () => {
    const victim = await victimFolder(world.base, 'many');
    const side = join(world.base, 'many-side');
    await git(victim.folder, 'worktree', 'add', '-q', side, 'side');
    const linked = { ...victim, folder: side, name: 'many-side' };
    expect(await use(linked)).toEqual(merged);
    await expectClean(victim);
    expect(await git(side, 'status', '--porcelain')).toBe('');
    expect(await readFile(join(side, 'b.txt'), 'utf8')).toBe('b\n');
    await appendFile(join(side, 'b.txt'), 'more\n');
    expect(await git(side, 'status', '--porcelain')).toBe(' M b.txt');
  });

  test('[EY9] folders with the same name become separate repositories with stable names', async () => {
    const names: unknown[] = [];
    const folders = ['work', 'private', 'deep/private', 'deeper/private'].map((above) =>
      join(world.base, 'same', above, 'app'),
    );
    for (const folder of folders) {
      await git(world.base, 'init', '-q', folder);
      names.push((await register(world.forge, folder)).body['full_name']);
    }
    expect(names).toEqual(['local/app', 'local/private-app', 'local/app-2', 'local/app-3']);
    for (const [index, folder] of folders.entries())
      expect((await register(world.forge, folder)).body['full_name']).toBe(names[index]);
    // A requested name is used or refused, never replaced.
    const other = join(world.base, 'same/other/app');
    await git(world.base, 'init', '-q', other);
    expect((await register(world.forge, other, { name: 'app' })).status).toBe(422);
  });

  test('[EY8] a registration returns the checked-out branch of the folder and its uncommitted files', async () => {
    const { folder } = await victimFolder(world.base, 'current');
    const at = async (path: string) => (await register(world.forge, path)).body['working_copy'];
    expect(await at(folder)).toEqual({ branch: 'main', detached_at: null, uncommitted: 0 });
    const linked = join(world.base, 'current-side');
    await git(folder, 'worktree', 'add', '-q', linked, 'side');
    expect(await at(linked)).toMatchObject({ branch: 'side', uncommitted: 0 });
    await appendFile(join(linked, 'a.txt'), 'more\n');
    await writeFile(join(linked, 'new.txt'), 'new\n');
    expect(await at(linked)).toMatchObject({ branch: 'side', uncommitted: 2 });
    await git(folder, 'checkout', '-q', '--detach');
    const head = await git(folder, 'rev-parse', 'HEAD');
    expect(await at(folder)).toEqual({ branch: null, detached_at: head, uncommitted: 0 });
    const fresh = join(world.base, 'current-fresh');
    await git(world.base, 'init', '-q', '-b', 'trunk', fresh);
    expect(await at(fresh)).toEqual({ branch: 'trunk', detached_at: null, uncommitted: 0 });
    // With other branches present, a session cannot start from an unborn branch.
    await commit(fresh, { 'a.txt': 'x\n' });
    await git(fresh, 'symbolic-ref', 'HEAD', 'refs/heads/unborn');
    expect(await at(fresh)).toMatchObject({ branch: null, detached_at: null });
  });
});
