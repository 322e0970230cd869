import { describe, expect, test } from 'vitest';
import { parseCgiHead, parseGitUrl } from './cgi.ts';
import { parseBatch, parseCommit, parseSignature } from './commits.ts';
import { attachPatches, parseSummary, splitPatch } from './diff-parse.ts';
import { isValidBranchName, isValidRefName, isWritableRef } from './ref-names.ts';
import { isNewEnough } from './version.ts';
import { isTreePath, parseTree } from './trees.ts';
import { isSafeDirectory, trustedOwners } from './owner.ts';
import { interpretConfig, parseConfigList } from './repository-config.ts';
import { SerialQueue } from './serial-queue.ts';
import { Semaphore } from './semaphore.ts';

const sha = 'a'.repeat(40);
const other = 'b'.repeat(40);

describe('the response of git http-backend', () => {
  test('status, headers and start of the body', () => {
    const bytes = Buffer.from('Status: 404 Not Found\r\nContent-Type: text/plain\r\n\r\nbody');
    expect(parseCgiHead(bytes)).toEqual({
      status: 404,
      headers: [['Content-Type', 'text/plain']],
      bodyStart: 51,
    });
    expect(parseCgiHead(Buffer.from('A: b\n\nx'))).toMatchObject({ status: 200, bodyStart: 6 });
  });
  test('a head that is incomplete, too long or malformed', () => {
    expect(parseCgiHead(Buffer.from('A: b\r\n'))).toBe('incomplete');
    expect(parseCgiHead(Buffer.alloc(20_000, 'a'))).toBe('malformed');
    expect(parseCgiHead(Buffer.from('no header\r\n\r\n'))).toBe('malformed');
    expect(parseCgiHead(Buffer.from('Status: abc\r\n\r\n'))).toBe('malformed');
  });
  test('only the three URLs of the smart protocol', () => {
    expect(parseGitUrl('GET', '/git/o/r.git/info/refs?service=git-upload-pack')).toMatchObject({
      owner: 'o',
      name: 'r',
      service: 'git-upload-pack',
    });
    expect(parseGitUrl('POST', '/git/o/r/git-receive-pack')).toMatchObject({
      path: '/git-receive-pack',
    });
    for (const [method, url] of [
      ['POST', '/git/o/r.git/info/refs?service=git-upload-pack'],
      ['GET', '/git/o/r.git/git-receive-pack'],
      ['GET', '/git/o/r.git/info/refs'],
      ['GET', '/git/o/r.git/HEAD'],
      ['GET', '/git/o/r.git/x/info/refs?service=git-upload-pack'],
    ] as const)
      expect(parseGitUrl(method, url)).toBeUndefined();
  });
});

describe('names', () => {
  test('valid and invalid refs by git’s rules', () => {
    for (const name of [
      'refs/heads/main',
      'refs/heads/-x',
      'refs/heads/a/b',
      'refs/heads/ü',
      'refs/heads/@x',
      'refs/ship/s/c',
    ])
      expect([name, isValidRefName(name)]).toEqual([name, true]);
    for (const name of [
      'refs/heads',
      'main',
      'refs/heads/',
      'refs/heads/a..b',
      'refs/heads/.a',
      'refs/heads/a.lock',
      'refs/heads/a b',
      'refs/heads/a^',
      'refs/heads/a@{1}',
      'refs/heads/a\u0000',
      'refs/heads/a.',
      'refs//heads/a',
      'refs/heads/@',
    ])
      expect([name, isValidRefName(name)]).toEqual([name, false]);
    expect(isValidBranchName('HEAD')).toBe(false);
    expect([
      isWritableRef('refs/pull/1/head'),
      isWritableRef('refs/stash'),
      isWritableRef('refs/tags/v1'),
    ]).toEqual([false, false, true]);
  });
  test('paths inside a tree', () => {
    expect(['a', 'a/b.c', 'ü/ '].map(isTreePath)).toEqual([true, true, true]);
    expect(['', '/a', 'a/', '../a', 'a/./b', '.git/x', 'a/.Git', 'a\0'].some(isTreePath)).toBe(
      false,
    );
  });
});

describe('diffs', () => {
  const summary = [
    `:100644 100644 ${sha} ${other} M`,
    'a b.txt',
    `:100644 100644 ${sha} ${sha} R100`,
    'old',
    'new',
    `:000000 100644 ${'0'.repeat(40)} ${other} A`,
    'bin',
    '1\t2\ta b.txt',
    '0\t0\t',
    'old',
    'new',
    '-\t-\tbin',
    '',
  ].join('\0');
  test('files with line counts', () => {
    expect(parseSummary(summary)).toEqual([
      {
        status: 'modified',
        path: 'a b.txt',
        blob: other,
        binary: false,
        additions: 1,
        deletions: 2,
      },
      {
        status: 'renamed',
        path: 'new',
        previousPath: 'old',
        blob: sha,
        binary: false,
        additions: 0,
        deletions: 0,
      },
      { status: 'added', path: 'bin', blob: other, binary: true, additions: 0, deletions: 0 },
    ]);
    expect(parseSummary('')).toEqual([]);
  });
  test('each file gets its section of the patch; content that looks like a header stays content', () => {
    const files = parseSummary(summary);
    const patch =
      'diff --git a/a b.txt b/a b.txt\n--- a\n+++ b\n@@ -1,2 +1 @@\n-x\n-diff --git a/z b/z\n+y\ndiff --git a/old b/new\nrename from old\ndiff --git a/bin b/bin\nBinary files differ\n';
    attachPatches(files, patch, false);
    expect(files.map((file) => file.patch)).toEqual([
      '@@ -1,2 +1 @@\n-x\n-diff --git a/z b/z\n+y',
      undefined,
      undefined,
    ]);
  });
  test('the last section of truncated output and a huge patch are dropped', () => {
    const files = parseSummary(summary);
    attachPatches(files, 'diff --git a/a b.txt b/a b.txt\n@@ -1 +1 @@\n-x\n+', true);
    expect(files[0]?.patch).toBeUndefined();
    attachPatches(files, `diff --git a/a b/a\n@@ -1 +1 @@\n${'+line\n'.repeat(30_000)}`, false);
    expect(files[0]?.patch).toBeUndefined();
    expect(splitPatch('')).toEqual([]);
  });
});

describe('objects', () => {
  test('a batch of objects, one of them missing, one with newlines', () => {
    const output = Buffer.from(`${sha} commit 5\na\nb\nc\n${other} missing\n${other} blob 0\n\n`);
    expect(parseBatch(output).map((entry) => [entry.type, entry.body.toString()])).toEqual([
      ['commit', 'a\nb\nc'],
      ['blob', ''],
    ]);
  });
  test('a commit with two parents, a signature and no newline at the end', () => {
    const raw = `tree ${sha}\nparent ${sha}\nparent ${other}\nauthor Zoë <z@x> 1000000000 +0200\ncommitter G <g@x> 1000000001 +0000\ngpgsig -----BEGIN\n tree not-this\n -----END\n\ntitle\n\nbody`;
    expect(parseCommit(other, raw)).toMatchObject({
      tree: sha,
      parents: [sha, other],
      message: 'title\n\nbody',
      author: { name: 'Zoë', date: '2001-09-09T01:46:40Z' },
    });
  });
  test('malformed signatures do not throw', () => {
    expect(parseSignature('<> 99999999999999999 +0000')).toEqual({
      name: '',
      email: '',
      date: '1970-01-01T00:00:00Z',
    });
    expect(parseSignature('garbage').date).toBe('1970-01-01T00:00:00Z');
  });
  test('trees', () => {
    expect(
      parseTree(
        `100644 blob ${sha}      12\ta\tb\n.txt\u0000160000 commit ${other}       -\tsub\0`,
      ),
    ).toEqual([
      { mode: '100644', type: 'blob', sha, size: 12, path: 'a\tb\n.txt' },
      { mode: '160000', type: 'commit', sha: other, path: 'sub' },
    ]);
  });
  test('a repository’s config: allowed settings with validated values, and unsupported formats', () => {
    const listed =
      'core.bare\nfalse\0core.autocrlf\ninput\0core.eol\n!run\0core.hookspath\n/x\0core.sparsecheckout\0';
    expect(interpretConfig(parseConfigList(listed))).toEqual({
      isBare: false,
      worktree: undefined,
      settings: [
        ['core.autocrlf', 'input'],
        ['core.sparsecheckout', 'true'],
      ],
      refusal: undefined,
    });
    expect(interpretConfig([['extensions.objectformat', 'sha256']]).refusal).toContain('SHA-256');
    expect(interpretConfig([['extensions.refstorage', 'reftable']]).refusal).toContain(
      'git refs migrate',
    );
    expect(interpretConfig([['extensions.partialclone', 'x']]).refusal).toContain('partial clone');
    expect(interpretConfig([['remote.a.b\nc.promisor', 'true']]).refusal).toContain(
      'partial clone',
    );
  });
  test('trusted owners and safe directories', () => {
    expect([...(trustedOwners(1000, '7') ?? [])]).toEqual([1000]);
    expect([...(trustedOwners(0, '7') ?? [])]).toEqual([0, 7]);
    expect([...(trustedOwners(0, '-1') ?? [])]).toEqual([0]);
    expect(isSafeDirectory('/a/b', ['/a'])).toBe(false);
    expect(isSafeDirectory('/a/b', ['/a/*'])).toBe(true);
    expect(isSafeDirectory('/a/b', ['*'])).toBe(true);
    expect(isSafeDirectory('/a/b', ['/a/b', ''])).toBe(false);
  });
});

test('the required version of git', () => {
  const versions = [
    'git version 2.39.5',
    'git version 2.38.0',
    'git version 3.0',
    'git version 2.37.9',
    'git version 1.99',
    '',
  ];
  expect(versions.map(isNewEnough)).toEqual([true, true, true, false, false, false]);
});

describe('concurrency', () => {
  test('a serial queue runs one task at a time, in order, past failures', async () => {
    const queue = new SerialQueue();
    const seen: number[] = [];
    const work = (number: number) => async () => {
      await new Promise((resolve) => setTimeout(resolve, 5 - number));
      seen.push(number);
      if (number === 2) throw new Error('two');
    };
    await Promise.allSettled([queue.run(work(1)), queue.run(work(2)), queue.run(work(3))]);
    expect(seen).toEqual([1, 2, 3]);
  });
  test('a semaphore admits no more than its size', async () => {
    const semaphore = new Semaphore(2);
    let now = 0;
    let most = 0;
    const work = async () => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setTimeout(resolve, 2));
      now -= 1;
    };
    await Promise.all(Array.from({ length: 7 }, () => semaphore.run(work)));
    expect(most).toBe(2);
  });
});
