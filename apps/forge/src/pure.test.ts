import { describe, expect, test } from 'vitest';
import { parseNodeId, nodeId } from './graphql/node-id.ts';
import { parseCredentials } from './http/credentials.ts';
import { allowedHostNames, checkSource } from './http/guard.ts';
import { linkHeader, parsePage, slice } from './http/paging.ts';
import { atPosition, findLine } from './pulls/hunk.ts';
import { mergeMessage, squashMessage } from './pulls/messages.ts';
import { refMoves } from './pulls/sync.ts';
import { isOwnerName, isRepositoryName, sameRepositoryBranch } from './repositories/names.ts';
import { suggestName } from './repositories/register.ts';
import { combine, newestByContext } from './statuses/combined.ts';
import { retryDelayMs, signature } from './webhooks/sender.ts';

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('requests', () => {
  test('credentials in every supported format', () => {
    expect(parseCredentials('token t')).toBe('t');
    expect(parseCredentials('Bearer t')).toBe('t');
    expect(parseCredentials(basic('x-access-token:t'))).toBe('t');
    expect(parseCredentials(basic('t:x-oauth-basic'))).toBe('t');
    expect(parseCredentials(basic('t:'))).toBe('t');
    for (const nothing of [undefined, '', 'token', basic(':'), 'Digest x', 'token a b'])
      expect(parseCredentials(nothing)).toBeUndefined();
  });
  test('pages: defaults, bounds, links', () => {
    expect(parsePage(new URLSearchParams('per_page=500&page=0'))).toEqual({ number: 1, size: 100 });
    expect(parsePage(new URLSearchParams('per_page=-1&page=x'))).toEqual({ number: 1, size: 30 });
    expect(() => parsePage(new URLSearchParams('page=999999999'))).toThrow();
    expect(linkHeader('http://h/x?per_page=1', { number: 2, size: 1 }, true, 5)).toBe(
      '<http://h/x?per_page=1&page=1>; rel="prev", <http://h/x?per_page=1&page=3>; rel="next", <http://h/x?per_page=1&page=5>; rel="last", <http://h/x?per_page=1&page=1>; rel="first"',
    );
    expect(linkHeader('http://h/x', { number: 1, size: 30 }, false)).toBeUndefined();
    expect(slice([1, 2, 3], { number: 2, size: 2 })).toEqual({ items: [3], more: false, last: 2 });
  });
  test('hosts and origins', () => {
    const hosts = allowedHostNames('127.0.0.1', ['Forge.Test']);
    for (const host of ['127.0.0.1:1', 'localhost', '[::1]:8', 'forge.test:80'])
      expect(() => checkSource({ host }, hosts)).not.toThrow();
    for (const host of [undefined, '', 'evil', '127.0.0.1.evil', 'a@127.0.0.1', '127.0.0.1:x'])
      expect(() => checkSource({ host }, hosts)).toThrow();
    expect(() =>
      checkSource({ host: 'localhost:1', origin: 'http://localhost:1' }, hosts),
    ).not.toThrow();
    expect(() => checkSource({ host: 'localhost:1', origin: 'null' }, hosts)).toThrow();
  });
});

describe('names', () => {
  test('owners and repositories', () => {
    expect(['ada', 'a-b_c', 'A1'].every(isOwnerName)).toBe(true);
    expect(['', '.x', '-x', 'a/b', 'ü', 'a'.repeat(40)].some(isOwnerName)).toBe(false);
    expect(['app', 'a.b', 'a_b-c'].every(isRepositoryName)).toBe(true);
    expect(['', '.', '..', '.forge', '-x', 'x.git', 'x.lock', 'a/b'].some(isRepositoryName)).toBe(
      false,
    );
  });
  test('heads with and without owner', () => {
    expect(sameRepositoryBranch('topic', 'ada', 'app')).toBe('topic');
    expect(sameRepositoryBranch('ADA:topic', 'ada', 'app')).toBe('topic');
    expect(sameRepositoryBranch('ada:app:topic', 'ada', 'app')).toBe('topic');
    for (const head of ['eve:topic', 'ada:other:topic', 'a:b:c:d'])
      expect(sameRepositoryBranch(head, 'ada', 'app')).toBeUndefined();
  });
  test('a default name for a folder', () => {
    expect(suggestName('/home/ada/my app')).toBe('my-app');
    expect(suggestName('/x/app.git')).toBe('app');
    expect(suggestName('/')).toBe('repository');
  });
  test('node ids', () => {
    expect(parseNodeId(nodeId('PR', 12))).toEqual({ kind: 'PR', key: '12' });
    expect(parseNodeId('nonsense')).toBeUndefined();
  });
});

const row = (id: number, context: string) => ({
  id,
  context,
  sha: '',
  state: '',
  description: null,
  target_url: null,
  user_id: 1,
  created_at: '',
});

describe('pull requests', () => {
  const author = { name: 'Ada', email: 'ada@x', date: '' };
  const commit = (message: string, by = author) => ({
    sha: '',
    tree: '',
    parents: [],
    author: by,
    committer: by,
    message,
  });
  const pull = { number: 7, title: 'Title', owner: 'ada', headRef: 'topic' };
  test('messages', () => {
    expect(mergeMessage(pull, {})).toBe('Merge pull request #7 from ada/topic\n\nTitle');
    expect(mergeMessage(pull, { title: 't', message: '' })).toBe('t');
    expect(squashMessage(pull, [commit('one\n\nbody')], {})).toBe('one (#7)\n\nbody');
    expect(
      squashMessage(
        pull,
        [commit('one'), commit('two', { name: 'Bob', email: 'b@x', date: '' })],
        {},
      ),
    ).toBe('Title (#7)\n\n* one\n\n* two\n\nCo-authored-by: Bob <b@x>');
  });
  test('differences between two snapshots of refs', () => {
    const zero = '0'.repeat(40);
    expect(
      refMoves(
        new Map([
          ['a', '1'],
          ['b', '2'],
          ['c', '3'],
        ]),
        new Map([
          ['a', '1'],
          ['b', '4'],
          ['d', '5'],
        ]),
      ),
    ).toEqual([
      { ref: 'b', before: '2', after: '4' },
      { ref: 'd', before: zero, after: '5' },
      { ref: 'c', before: '3', after: zero },
    ]);
  });
  test('lines of a patch', () => {
    const patch = '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n@@ -10 +10 @@\n-x\n+y';
    expect(findLine(patch, 2, 'RIGHT')).toEqual({
      hunk: '@@ -1,3 +1,3 @@\n a\n-b\n+B',
      position: 3,
    });
    expect(findLine(patch, 2, 'LEFT')).toEqual({ hunk: '@@ -1,3 +1,3 @@\n a\n-b', position: 2 });
    expect(findLine(patch, 10, 'RIGHT')?.position).toBe(7);
    expect(findLine(patch, 5, 'RIGHT')).toBeUndefined();
    expect(atPosition(patch, 3)).toEqual({ hunk: '@@ -1,3 +1,3 @@\n a\n-b\n+B', line: 2 });
    expect(atPosition(patch, 99)).toBeUndefined();
  });
  test('combined states of a commit', () => {
    expect([
      combine([]),
      combine(['success']),
      combine(['success', 'pending']),
      combine(['pending', 'error']),
    ]).toEqual(['pending', 'success', 'pending', 'failure']);
    expect(newestByContext([row(3, 'a'), row(2, 'b'), row(1, 'a')]).map(({ id }) => id)).toEqual([
      2, 3,
    ]);
  });
});

describe('webhooks', () => {
  test('GitHub’s documented example of a signature, and exponential backoff', () => {
    expect(signature("It's a Secret to Everybody", 'Hello, World!')).toBe(
      'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    );
    expect([1, 2, 3].map((attempt) => retryDelayMs(10, attempt))).toEqual([10, 20, 40]);
  });
});
