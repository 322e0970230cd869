import { readFile, readdir, rename, symlink, truncate, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createWarmFolder, prepareRepository, saveCheckpoint } from '../../src/git/index.ts';
import { MARK_SUFFIX } from '../../src/setups/mark.ts';
import { commit, git, write } from './support/git.ts';
import { localShell } from './support/local-shell.ts';
import { deliver, sharedWorld, started } from './support/session-steps.ts';
import type { TestSession } from './support/world.ts';

const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 5\n`;

describe('the contents of a delivery', { timeout: 60_000 }, () => {
  const world = sharedWorld();

  describe('unusual files', () => {
    const odd = ['ö "quoted"\n\t.txt', '-dash', ':(top)magic'];
    let session: TestSession;
    let again: Awaited<ReturnType<typeof deliver>>;
    let tree: string;

    beforeAll(async () => {
      const repo = await world.newRepository();
      await commit(repo.person, {
        '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
        'x.bin': pointer,
        'crlf.txt': 'a\r\nb\r\n',
        'readme.txt': 'x\n',
      });
      await git(repo.person, 'push', '-q', 'origin', 'main');
      session = await started(repo.session());
      await write(session.folder, { 'crlf.txt': 'a\r\nb\r\n', 'x.bin': pointer });
      again = await deliver(session);
      await symlink('/etc/passwd', join(session.folder, 'out'));
      await rename(join(session.folder, 'readme.txt'), join(session.folder, 'README.TXT'));
      await write(session.folder, Object.fromEntries(odd.map((path) => [path, 'x'])));
      await git(session.folder, 'init', '-q', 'nested-empty');
      await git(session.folder, 'init', '-q', 'nested');
      await commit(join(session.folder, 'nested'), { x: '1' });
      // Sparse: it costs no disk until git reads it.
      await write(session.folder, { 'huge file.bin': '' });
      await truncate(join(session.folder, 'huge file.bin'), 105 * 1024 * 1024);
      const { problem } = await deliver(session);
      if (problem !== null) throw new Error(problem.message);
      tree = await git(session.folder, 'ls-tree', '-r', '-z', 'HEAD');
    }, 120_000);

    const skipped = () => {
      const made = session.events.find(({ type }) => type === 'commit.made');
      return made?.type === 'commit.made' ? made.data.skipped : [];
    };

    it('[GW14] a CRLF file rewritten with the same content is no change', () => {
      expect(again).toMatchObject({ types: [], problem: null });
    });

    it('[GW14] LFS pointers stay pointers', async () => {
      expect(await git(session.folder, 'show', 'HEAD:x.bin')).toBe(pointer.trimEnd());
    });

    it('[GW14] symlinks out of the repository are delivered as links, not as the contents of their targets', async () => {
      const link = /120000 blob ([0-9a-f]{40})\tout/.exec(tree)?.[1] ?? '';
      expect(await git(session.folder, 'cat-file', 'blob', link)).toBe('/etc/passwd');
    });

    it('[GW14] case-only renames are renames', () => {
      expect(tree).toContain('\tREADME.TXT');
      expect(tree).not.toContain('\treadme.txt');
    });

    it('[GW14] file names with quotes, line breaks, dashes and pathspec magic are delivered literally', () => {
      for (const path of odd) expect(tree).toContain(`\t${path}`);
    });

    it('[GW15] nested repositories are skipped and reported', () => {
      expect(skipped()).toEqual(
        expect.arrayContaining([
          { path: 'nested-empty', reason: 'nested-repository' },
          { path: 'nested', reason: 'nested-repository' },
        ]),
      );
      expect(tree).not.toContain('nested');
    });

    it('[GW15] files over 100 MB are skipped and reported', () => {
      expect(skipped()).toContainEqual({ path: 'huge file.bin', reason: 'too-large' });
      expect(tree).not.toContain('huge');
    });
  });

  it('[GW16] a failing hook of the repository does not prevent a delivery', async () => {
    const repo = await world.newRepository();
    const session = await started(repo.session());
    const { chmod, mkdir } = await import('node:fs/promises');
    await mkdir(join(session.folder, '.git/hooks'), { recursive: true });
    for (const name of [
      'pre-commit',
      'commit-msg',
      'pre-push',
      'post-commit',
      'reference-transaction',
      'post-index-change',
    ]) {
      const hook = join(session.folder, '.git/hooks', name);
      await write(session.folder, {
        [`.git/hooks/${name}`]: `#!/bin/sh\ntouch ${world.folder}/hook-ran\nexit 1\n`,
      });
      await chmod(hook, 0o755);
    }
    await write(session.folder, { a: '1' });
    expect((await deliver(session)).types).toContain('branch.pushed');
    await expect(readFile(join(world.folder, 'hook-ran'))).rejects.toThrow();
  });

  it('[GW17] settings that the agent writes into its git config run no program and redirect nothing', async () => {
    const repo = await world.newRepository();
    await commit(repo.person, { 'f.txt': 'a\n' });
    await git(repo.person, 'push', '-q', 'origin', 'main');
    const session = await started(repo.session());
    await write(session.folder, { a: '1' });
    await deliver(session);
    const ran = `${world.folder}/config-ran`;
    const evil = `touch ${ran}; cat`;
    const settings: [string, string][] = [
      ['core.hooksPath', '/tmp'],
      ['core.fsmonitor', evil],
      ['core.sshCommand', evil],
      ['core.pager', evil],
      ['core.editor', evil],
      ['credential.helper', `!${evil}`],
      ['filter.evil.clean', evil],
      ['filter.evil.smudge', evil],
      ['filter.evil.process', evil],
      ['filter.evil.required', 'true'],
      ['diff.evil.textconv', evil],
      ['diff.evil.command', evil],
      ['diff.external', evil],
      ['merge.evil.driver', evil],
      ['gpg.program', evil],
      ['commit.gpgSign', 'true'],
      ['http.proxy', 'http://127.0.0.1:1'],
      ['core.worktree', '/tmp'],
      ['core.alternateRefsCommand', evil],
      ['trailer.x.command', evil],
      [`url.http://127.0.0.1:1/evil.insteadOf`, repo.url],
      [`url.http://127.0.0.1:1/evil.pushInsteadOf`, repo.url],
      ['remote.origin.url', 'http://127.0.0.1:1/evil'],
      ['extensions.worktreeConfig', 'true'],
    ];
    for (const [key, value] of settings)
      await git('/', 'config', '--file', join(session.folder, '.git/config'), key, value);
    await write(session.folder, {
      '.gitattributes': '* filter=evil diff=evil merge=evil\n',
      '.git/info/attributes': '* filter=evil diff=evil merge=evil\n',
      'f.txt': 'b\n',
    });
    session.record(await saveCheckpoint(session.deps));
    expect((await deliver(session)).problem).toBeNull();
    await git(repo.person, 'fetch', '-q');
    await git(repo.person, 'checkout', '-q', session.branch);
    await commit(repo.person, { 'person.txt': '1' });
    await git(repo.person, 'push', '-q');
    await write(session.folder, { 'f.txt': 'c\n' });
    const { problem, types } = await deliver(session);
    expect({ problem, types }).toMatchObject({ problem: null });
    await expect(readFile(ran)).rejects.toThrow();
    expect(await git(repo.person, 'ls-remote', 'origin', session.branch)).toContain(
      session.git.headSha,
    );
  });

  it('[GW23] files that a person put into a prewarmed empty repository are still there after the clone', async () => {
    const repo = await world.newRepository();
    const session = repo.session();
    await createWarmFolder(localShell, session.folder);
    await write(session.folder, { 'notes/mine.txt': 'mine\n', 'README.md': 'my own\n' });
    await started(session);
    const read = (path: string) => readFile(join(session.folder, path), 'utf8');
    expect(await read('notes/mine.txt')).toBe('mine\n');
    expect(await read('README.md.~1~')).toBe('my own\n');
    expect(await git(session.folder, 'status', '--porcelain')).toBe('?? README.md.~1~\n?? notes/');
  });

  it('[GW23] a folder in the way that is not a repository is moved aside with its contents', async () => {
    const session = (await world.newRepository()).session();
    await write(session.folder, { 'README.md': 'damaged\n' });
    await started(session);
    expect(await git(session.folder, 'status', '--porcelain')).toBe('');
    const [aside = ''] = (await readdir(dirname(session.folder))).filter((name) =>
      name.startsWith(`${basename(session.folder)}.before-`),
    );
    const kept = join(dirname(session.folder), aside, 'README.md');
    expect(await readFile(kept, 'utf8')).toBe('damaged\n');
  });

  it('[KS4] a setup’s leftovers that collide with the repository are removed, and the clone is complete', async () => {
    const session = (await world.newRepository()).session();
    // A folder where the repository has a file: they cannot be merged.
    await write(session.folder, { 'README.md/left': 'over', 'node_modules/x': '1' });
    await writeFile(`${session.folder}${MARK_SUFFIX}`, '{}');
    await started(session);
    expect(await git(session.folder, 'status', '--porcelain')).toBe('');
    expect((await readdir(session.folder)).sort()).toEqual(['.git', 'README.md', 'src']);
    const beside = await readdir(dirname(session.folder));
    const left = beside.filter((name) => /\.(?:placing|joining|reused|prepared)$/.test(name));
    expect(left).toEqual([]);
  });

  it('[GW14] submodules stay submodules', async () => {
    const repo = await world.newRepository();
    const sub = await git(repo.person, 'rev-parse', 'HEAD');
    await write(repo.person, {
      '.gitmodules': `[submodule "sub"]\n\tpath = sub\n\turl = ${repo.url}\n`,
    });
    await git(repo.person, 'update-index', '--add', '--cacheinfo', '160000', sub, 'sub');
    await git(repo.person, 'add', '.gitmodules');
    await git(repo.person, 'commit', '-qm', 'submodule');
    await git(repo.person, 'push', '-q', 'origin', 'main');
    const session = await started(repo.session());
    await write(session.folder, { a: '1' });
    expect((await deliver(session)).problem).toBeNull();
    expect(await git(session.folder, 'ls-tree', 'HEAD', 'sub')).toContain(`160000 commit ${sub}`);
  });

  it('[GW26] a fresh clone reports unavailable submodules and LFS pointers, and fetches nothing that .lfsconfig names', async () => {
    const repo = await world.newRepository();
    const sub = await git(repo.person, 'rev-parse', 'HEAD');
    await write(repo.person, {
      '.gitmodules': `[submodule "sub"]\n\tpath = sub\n\turl = http://me:secret@127.0.0.1:1/private.git\n`,
      '.gitattributes': '*.psd filter=lfs diff=lfs merge=lfs -text\n',
      'a.psd': pointer,
      '.lfsconfig': `[lfs]\n\turl = http://127.0.0.1:1/\n`,
    });
    await git(repo.person, 'update-index', '--add', '--cacheinfo', '160000', sub, 'sub');
    await git(repo.person, 'add', '.gitmodules', '.gitattributes', '.lfsconfig', 'a.psd');
    await git(repo.person, 'commit', '-qm', 'odd');
    await git(repo.person, 'push', '-q', 'origin', 'main');
    const session = repo.session();
    session.record(await prepareRepository(session.deps));
    expect(session.events.find(({ type }) => type === 'checkout.noted')?.data).toEqual({
      submodules: [
        {
          path: 'sub',
          reason: 'Ship fetches submodules over https only, not over http:',
        },
      ],
      lfsFiles: 1,
    });
    expect(await readdir(join(session.folder, 'sub'))).toEqual([]);
  });

  it('[GW26] LFS pointers of a folder with its own .gitattributes are reported too', async () => {
    const repo = await world.newRepository();
    const attributes = '*.psd filter=lfs diff=lfs merge=lfs -text\n';
    await write(repo.person, { 'art/.gitattributes': attributes, 'art/a.psd': pointer });
    await git(repo.person, 'add', '-A');
    await git(repo.person, 'commit', '-qm', 'art');
    await git(repo.person, 'push', '-q', 'origin', 'main');
    const session = await started(repo.session());
    expect(session.git.checkout).toMatchObject({ lfsFiles: 1 });
    await write(session.folder, { 'art/new.psd': 'pixels', 'code.txt': '1' });
    expect((await deliver(session)).problem).toBeNull();
    expect(session.git.skipped).toEqual([{ path: 'art/new.psd', reason: 'lfs-content' }]);
    const body = (await repo.forge.pullRequest(session.git.pullRequest?.number ?? 0)).body ?? '';
    expect(body).toContain('`art/new.psd`: belongs in Git LFS');
  });

  it('[GW26] content never replaces an LFS pointer: it is skipped and listed, also in the pull request', async () => {
    const repo = await world.newRepository();
    await write(repo.person, {
      '.gitattributes': '*.psd filter=lfs diff=lfs merge=lfs -text\n',
      'old.psd': pointer,
    });
    await git(repo.person, 'add', '-A');
    await git(repo.person, 'commit', '-qm', 'lfs');
    await git(repo.person, 'push', '-q', 'origin', 'main');
    const session = await started(repo.session());
    await write(session.folder, { 'old.psd': 'pixels', 'new.psd': 'more pixels' });
    expect((await deliver(session)).types).toEqual(['files.skipped']);
    expect(session.git.skipped).toEqual([
      { path: 'new.psd', reason: 'lfs-content' },
      { path: 'old.psd', reason: 'lfs-content' },
    ]);
    // Reported once.
    expect((await deliver(session)).types).toEqual([]);
    await write(session.folder, { 'code.txt': '1', 'pointed.psd': pointer });
    expect((await deliver(session)).problem).toBeNull();
    expect(await git(session.folder, 'show', 'HEAD:old.psd')).toBe(pointer.trimEnd());
    expect(await git(session.folder, 'show', 'HEAD:pointed.psd')).toBe(pointer.trimEnd());
    expect(await git(session.folder, 'ls-tree', '--name-only', 'HEAD')).not.toContain('new.psd');
    const body = (await repo.forge.pullRequest(session.git.pullRequest?.number ?? 0)).body ?? '';
    expect(body).toContain('### Left out of the branch');
    expect(body).toContain('`new.psd`: belongs in Git LFS');
  });
});
