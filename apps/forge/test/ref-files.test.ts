import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parsePackedRefs, readBranchTip, readTips } from '../src/git/ref-files.ts';
import { temporaryFolder } from './support/forge.ts';
import { commit, git } from './support/git.ts';

test('ref files match git: loose, packed, both, deleted, nested, symbolic, broken, locked', async () => {
  const folder = await temporaryFolder();
  await git(folder, 'init', '-q', '-b', 'main');
  const gitDir = join(folder, '.git');
  const agree = async () => {
    const format = '--format=%(refname) %(objectname)';
    const output = await git(folder, 'for-each-ref', format, 'refs/heads', 'refs/tags');
    const read = [...(readTips(gitDir) ?? new Map<string, string>())]
      .map((pair) => pair.join(' '))
      .toSorted();
    expect(read).toEqual(
      output
        .split('\n')
        .filter((line) => line !== '')
        .toSorted(),
    );
  };
  await agree();
  await commit(folder, { a: '1' });
  await git(folder, 'branch', 'deep/er/branch');
  await git(folder, 'branch', 'ünïcödé');
  await git(folder, 'tag', '-a', '-m', 'annotated', 'v1');
  await git(folder, 'tag', 'v2');
  await agree();
  await git(folder, 'pack-refs', '--all');
  await agree();
  await commit(folder, { a: '2' });
  await git(folder, 'branch', '-D', 'deep/er/branch');
  await git(folder, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
  await git(folder, 'symbolic-ref', 'refs/heads/nowhere', 'refs/heads/missing');
  await writeFile(join(gitDir, 'refs/heads/x.lock'), '');
  await writeFile(join(gitDir, 'refs/heads/broken'), '');
  await agree();
  expect(readBranchTip(gitDir, 'refs/heads/main')).toEqual({
    known: true,
    sha: await git(folder, 'rev-parse', 'main'),
  });
  expect(readBranchTip(gitDir, 'refs/heads/ünïcödé')).toEqual({
    known: true,
    sha: await git(folder, 'rev-parse', 'ünïcödé'),
  });
  expect(readBranchTip(gitDir, 'refs/heads/none')).toEqual({ known: true, sha: undefined });
  expect(readBranchTip(gitDir, 'refs/heads/alias')).toEqual({ known: false });
  await mkdir(join(gitDir, 'reftable'));
  expect(readTips(gitDir)).toBeUndefined();
  expect(readBranchTip(gitDir, 'refs/heads/main')).toEqual({ known: false });
  await rm(join(gitDir, 'reftable'), { recursive: true });
});

test('comments, peeled lines and other namespaces of packed-refs are skipped', () => {
  const sha = 'a'.repeat(40);
  const text = `# pack-refs with: peeled\n${sha} refs/heads/a\n^${sha}\n${sha} refs/remotes/o/x\n${sha} refs/tags/t\n`;
  expect([...parsePackedRefs(text).keys()]).toEqual(['refs/heads/a', 'refs/tags/t']);
});
