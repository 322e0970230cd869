import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Octokit } from 'octokit';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder, testForge, type TestForge } from '../support/forge.ts';
import { commit, git } from '../support/git.ts';
import {
  Canary,
  extRemote,
  hostileHooks,
  missingObject,
  poison,
  programKeys,
  register,
  useFolder,
  victimFolder,
} from './hostile-folder.ts';

let forge: TestForge;
let octokit: Octokit;
let base: string;
let canary: Canary;

beforeAll(async () => {
  forge = await testForge();
  octokit = forge.octokit();
  base = await temporaryFolder();
  canary = await Canary.make();
  return () => forge.close();
});

beforeEach(() => canary.reset());

describe('[LF4] a folder whose git configuration names programs', () => {
  test('[AT-C2b1] attack: config keys, hooks and drivers of a folder run programs as the user', async () => {
    const victim = await victimFolder(base, 'keys');
    await hostileHooks(victim, canary);
    await writeFile(join(victim.gitDir, 'attributes'), '* filter=evil diff=evil merge=evil\n');
    await poison(victim, programKeys(canary));
    const outcome = await useFolder(forge, octokit, victim);
    expect(await canary.ran()).toEqual([]);
    expect(outcome).toEqual({ mergedSide: true, mergedMain: true });
    expect(await readFile(join(victim.folder, 'both.txt'), 'utf8')).toBe('one\n2\n3\n4\nfive\n');
  });

  test('[AT-C2b2] attack: filters in .git/info/attributes run at a merge into the checked-out branch', async () => {
    const victim = await victimFolder(base, 'info-attributes');
    const attributes = join(victim.gitDir, 'info/attributes');
    await appendFile(attributes, '* filter=evil diff=evil merge=evil\n');
    await poison(victim, programKeys(canary));
    await useFolder(forge, octokit, victim);
    expect(await canary.ran()).toEqual([]);
  });

  test('[AT-C2b3] attack: a remote of the ext protocol runs a program when an object is missing', async () => {
    const victim = await victimFolder(base, 'ext');
    await register(forge, victim.folder);
    await missingObject(victim);
    // Change it after the registration: each use must check it.
    await poison(victim, extRemote(canary, 'ext'));
    await useFolder(forge, octokit, victim);
    expect(await canary.ran()).toEqual([]);
  });

  test('[AT-C2b4] attack: the remote comes from include.path and includeIf, past the check for partial clones', async () => {
    const victim = await victimFolder(base, 'include');
    await missingObject(victim);
    await poison(victim, extRemote(canary, 'include'), 'more');
    await poison(victim, extRemote(canary, 'include-if'), 'other');
    await poison(victim, '[include]\n\tpath = more\n[includeIf "gitdir:/"]\n\tpath = other\n');
    await useFolder(forge, octokit, victim);
    expect(await canary.ran()).toEqual([]);
  });

  test('[AT-C2b5] attack: config.worktree names the remote, fsmonitor and filters', async () => {
    const victim = await victimFolder(base, 'worktree-config');
    const side = join(base, 'worktree-config-side');
    await git(victim.folder, 'worktree', 'add', '-q', '-b', 'elsewhere', side);
    await missingObject(victim);
    const evil = `${programKeys(canary)}${extRemote(canary, 'worktree-config')}`;
    await poison(victim, evil, 'config.worktree');
    await poison(victim, evil, 'worktrees/worktree-config-side/config.worktree');
    await poison(
      victim,
      '[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n',
    );
    await useFolder(forge, octokit, victim);
    expect(await canary.ran()).toEqual([]);
  });

  test('[AT-C2b6] attack: a bare repository put into the forge’s folder brings its own config and hooks', async () => {
    const source = await victimFolder(base, 'bare-source');
    await mkdir(join(forge.root, 'local'), { recursive: true });
    const gitDir = join(forge.root, 'local/dropped.git');
    await git(base, 'clone', '-q', '--bare', '--template=', source.folder, gitDir);
    const victim = { folder: gitDir, gitDir, name: 'dropped' };
    await mkdir(join(gitDir, 'hooks'));
    await hostileHooks(victim, canary);
    await poison(victim, programKeys(canary));
    const outcome = await useFolder(forge, octokit, victim);
    expect(await canary.ran()).toEqual([]);
    expect(outcome).toEqual({ mergedSide: true, mergedMain: true });
  });

  test('[AT-M51] attack: a NUL byte hides a filter in .gitattributes from the check before a merge', async () => {
    const victim = await victimFolder(base, 'nul');
    await git(victim.folder, 'checkout', '-q', 'topic');
    const attributes = Buffer.from('# \0\n*.txt filter=evil\n');
    await commit(victim.folder, { '.gitattributes': attributes });
    await git(victim.folder, 'checkout', '-q', 'main');
    await commit(victim.folder, { '.gitattributes': attributes });
    await poison(victim, programKeys(canary));
    const outcome = await useFolder(forge, octokit, victim);
    expect(await canary.ran()).toEqual([]);
    // As with LFS, the forge does not write files that the user's git would filter.
    expect(outcome).toEqual({ mergedSide: true, mergedMain: false });
    expect(await readFile(join(victim.folder, 'a.txt'), 'utf8')).toBe('one\n');
  });
});
