import { describe, expect, it } from 'vitest';
import { checkoutNote, isSafePath, readSubmodules, submoduleSource } from './submodules.ts';

const sha = 'a'.repeat(40);
const github = { gitUrl: 'https://github.com', location: 'https://github.com/acme/app' };
const local = { gitUrl: 'http://127.0.0.1:7777', location: 'http://127.0.0.1:7777/ada/app.git' };
const onDisk = { gitUrl: 'http://127.0.0.1:7777', location: '/home/me/code/app' };
const from = (url: string | undefined, origin = github, path = 'sub') =>
  submoduleSource({ path, url }, origin);

describe('[GW26] submodules of a commit', () => {
  it('are read with their names and URLs; only gitlinks count', () => {
    const listing = [
      `160000 ${sha} 0\tlib/one`,
      `160000 ${sha} 0\tno address`,
      `100644 ${sha} 0\tf`,
    ].join('\0');
    const config =
      'submodule.x.y.path\nlib/one\0submodule.x.y.url\nhttps://forge.example/one.git\0submodule.other.url\nunused\0';
    expect(readSubmodules(listing, config)).toEqual([
      { path: 'lib/one', name: 'x.y', url: 'https://forge.example/one.git', sha },
      { path: 'no address', name: '', url: undefined, sha },
    ]);
    expect(readSubmodules('', config)).toEqual([]);
  });

  it.each([
    'https://github.com/acme/lib',
    'https://github.com/acme/lib.git',
    'https://me:secret@github.com/acme/lib.git/',
    'http://github.com/acme/lib',
    'git@github.com:acme/lib.git',
    'ssh://git@github.com/acme/lib.git',
    '../lib',
    '../lib.git',
    '../../acme/lib',
  ])('are found at the same forge by %s', (url) => {
    const publicUrl = 'https://github.com/acme/lib.git';
    expect(from(url)).toEqual({ kind: 'forge', owner: 'acme', name: 'lib', publicUrl });
  });

  it('at the local forge are read through the gateway or not at all', () => {
    const lib = { kind: 'forge', owner: 'ada', name: 'lib', publicUrl: null };
    expect(from('../lib', local)).toEqual(lib);
    expect(from('http://127.0.0.1:7777/ada/lib.git', onDisk)).toEqual(lib);
    expect(from('../lib', onDisk)).toEqual({ kind: 'folder', path: '/home/me/code/lib' });
    expect(from('/srv/./x/../lib', onDisk)).toEqual({ kind: 'folder', path: '/srv/lib' });
    expect(from('../../../../../etc', onDisk)).toEqual({ kind: 'folder', path: '/etc' });
  });

  it.each([
    ['https://gitlab.example/a/b/lib.git', 'https://gitlab.example/a/b/lib.git'],
    ['https://user:secret@gitlab.example/lib', 'https://gitlab.example/lib'],
    ['git@gitlab.example:a/lib.git', 'https://gitlab.example/a/lib.git'],
    ['https://gitlab.example:8443/lib', 'https://gitlab.example:8443/lib'],
  ])('are fetched from elsewhere without a credential: %s', (url, clean) => {
    expect(from(url)).toEqual({ kind: 'public', url: clean });
  });

  it.each([
    [undefined, 'no address'],
    ['file:///etc', 'https only'],
    ['ftp://forge.example/x', 'https only'],
    ['git://forge.example/x', 'https only'],
    ['http://forge.example/x.git', 'https only'],
    ['ext::sh -c true', 'malformed'],
    ['ext::sh', 'not an address'],
    ['-oProxyCommand=x', 'malformed'],
    ['https://forge.example/\u001b[31m', 'malformed'],
    ['https://127.0.0.1/x', 'not a public host'],
    ['https://2130706433/x', 'not a public host'],
    ['https://[::1]/x', 'not a public host'],
    ['https://localhost/x', 'not a public host'],
    ['https://app.localhost/x', 'not a public host'],
    ['https://metadata.google.internal/x', 'not a public host'],
    ['https://metadata/x', 'not a public host'],
    [`https://forge.example/${'x'.repeat(2000)}`, 'malformed'],
  ])('are not fetched: %s', (url, reason) => {
    expect(from(url)).toEqual({ kind: 'none', reason: expect.stringContaining(reason) as string });
  });

  it('are never written outside of the repository or into a git folder', () => {
    for (const path of ['lib', 'a/b.c', 'third party/x', '.github/x', 'git', '...x'])
      expect([path, isSafePath(path)]).toEqual([path, true]);
    for (const path of [
      '../x',
      'a/../b',
      '/etc',
      'a//b',
      '.git/hooks',
      'a/.GIT/x',
      '.git ',
      '.git.',
      'git~1/x',
      '.git::$INDEX_ALLOCATION',
      '.g\u200cit/x',
      '-x',
      'a\\b',
      'a\nb',
      '.',
      'x'.repeat(300),
    ])
      expect([path, isSafePath(path)]).toEqual([path, false]);
    expect(from('../lib', github, '.git/x')).toMatchObject({ kind: 'none' });
  });

  it('are listed in a note to the agent, with missing ones', () => {
    expect(checkoutNote(undefined)).toBeNull();
    expect(checkoutNote({ missing: [], initialized: [], lfsFiles: 0 })).toBeNull();
    const note = checkoutNote({
      missing: [{ path: 'b', reason: 'it is private' }],
      initialized: ['a'],
      lfsFiles: 2,
    });
    expect(note).toContain('checked out: a. Changes inside them are not delivered');
    expect(note).toContain('The submodule b is not checked out: it is private.');
    expect(note).toContain('2 files are pointers');
  });
});
