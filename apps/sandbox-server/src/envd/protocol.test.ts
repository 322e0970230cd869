import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { fileRefusal, sign } from './auth.ts';
import { decodeFrames, encodeFrame } from './connect/envelope.ts';
import { RpcError, toRpcError } from './connect/errors.ts';
import * as message from './connect/message.ts';
import { basicUser } from './connect/server.ts';
import { permissionString, timestamp } from './filesystem/entry.ts';
import { metadataHeaders, metadataRefusal } from './filesystem/metadata.ts';
import { compare } from './filesystem/tree-watcher.ts';
import { parseRange } from './files/download.ts';
import { requestDecoder, responseCoding } from './files/encoding.ts';
import { tunnelPort } from './network/tunnel.ts';
import { resolvePath } from './paths.ts';
import { endEvent } from './process/types.ts';
import { parseGroups, parsePasswd } from './users.ts';

const user = { name: 'user', uid: 1000, gid: 1000, home: '/home/user' };

const decode = async (chunks: Buffer[], max = 1000) => {
  const found: unknown[] = [];
  for await (const frame of decodeFrames(Readable.from(chunks), max)) found.push(frame);
  return found;
};

describe('frames', () => {
  it('survive any split', async () => {
    const bytes = Buffer.concat([
      encodeFrame({ a: 1 }),
      encodeFrame({ b: 'ü' }),
      encodeFrame({}, true),
    ]);
    for (let at = 1; at < bytes.length; at += 1) {
      expect(await decode([bytes.subarray(0, at), bytes.subarray(at)])).toEqual([
        { a: 1 },
        { b: 'ü' },
      ]);
    }
  });

  it('are refused when too long, truncated, compressed or not JSON', async () => {
    await expect(decode([encodeFrame({ a: 'x'.repeat(2000) })])).rejects.toThrow(
      'the limit is 1000',
    );
    await expect(decode([encodeFrame({ a: 1 }).subarray(0, 7)])).rejects.toThrow('ended inside');
    const compressed = encodeFrame({});
    compressed[0] = 1;
    await expect(decode([compressed])).rejects.toThrow('compressed');
    await expect(decode([Buffer.from([0, 0, 0, 0, 1, 123])])).rejects.toThrow('JSON');
  });
});

describe('messages', () => {
  it('accept both spellings and refuse wrong types', () => {
    expect(message.string({ watcher_id: 'x' }, 'watcherId')).toBe('x');
    expect(message.optionalUint32({ pid: '12' }, 'pid')).toBe(12);
    expect(message.optionalBytes({ stdin: 'aGk' }, 'stdin')?.toString()).toBe('hi');
    expect(message.boolean({}, 'stdin', true)).toBe(true);
    const wrong: Array<() => unknown> = [
      () => message.string({ a: 1 }, 'a'),
      () => message.string({ a: 'x\0' }, 'a'),
      () => message.optionalUint32({ a: -1 }, 'a'),
      () => message.optionalUint32({ a: 2 ** 32 }, 'a'),
      () => message.strings({ a: [1] }, 'a'),
      () => message.stringMap({ a: { 'x=y': '1' } }, 'a'),
      () => message.stringMap({ a: { x: 1 } }, 'a'),
      () => message.optionalBytes({ a: '§' }, 'a'),
      () => message.asMessage([]),
    ];
    for (const attempt of wrong) expect(attempt).toThrow(RpcError);
  });

  it('map system errors to codes', () => {
    const codes = [
      ['ENOENT', 'not_found'],
      ['EEXIST', 'already_exists'],
      ['ENOSPC', 'resource_exhausted'],
      ['EWEIRD', 'internal'],
    ];
    for (const [errno, code] of codes)
      expect(toRpcError(Object.assign(new Error('x'), { code: errno })).code).toBe(code);
  });

  it('name the user as the SDK does', () => {
    expect(basicUser(`Basic ${Buffer.from('root:').toString('base64')}`)).toBe('root');
    expect(basicUser('Bearer x')).toBeUndefined();
    expect(basicUser(undefined)).toBeUndefined();
  });
});

describe('paths and users', () => {
  it.each([
    ['a.txt', '/home/user/a.txt'],
    ['~/a', '/home/user/a'],
    ['~', '/home/user'],
    ['/x/../y/', '/y'],
    ['', '/home/user'],
    ['../../../etc/passwd', '/etc/passwd'],
  ])('%j is %s', (path, resolved) => expect(resolvePath(path, user)).toBe(resolved));

  it('refuses other homes and NUL', () => {
    expect(() => resolvePath('~root/x', user)).toThrow('home folder');
    expect(() => resolvePath('a\0b', user)).toThrow('NUL');
    expect(resolvePath('', user, '/work')).toBe('/work');
  });

  it('parses passwd and group', () => {
    expect(parsePasswd('user:x:1000:1000::/home/user:/bin/bash\nbroken\n')).toEqual([user]);
    expect(parseGroups('root:x:0:\nuser:x:1000:\n').get(1000)).toBe('user');
  });
});

describe('signatures', () => {
  const request = {
    path: 'a',
    operation: 'read' as const,
    username: 'user',
    expiration: '2000000000',
  };
  const signature = sign(request, 'token');

  it('pass by token, by signature, or when there is no token', () => {
    expect(fileRefusal({ ...request, signature }, undefined, 'token', 0)).toBeUndefined();
    expect(fileRefusal({ ...request, signature: undefined }, 'token', 'token', 0)).toBeUndefined();
    expect(
      fileRefusal({ ...request, signature: undefined }, undefined, undefined, 0),
    ).toBeUndefined();
  });

  const refused = (change: object, header?: string, nowMs = 0) =>
    fileRefusal({ ...request, signature, ...change }, header, 'token', nowMs);

  it('are refused when anything differs', () => {
    expect(refused({ path: 'b' })).toContain('invalid');
    expect(refused({ operation: 'write' })).toContain('invalid');
    expect(refused({ username: undefined })).toContain('invalid');
    expect(refused({ expiration: '2000000001' })).toContain('invalid');
    expect(refused({ signature: undefined })).toContain('missing');
    expect(refused({}, 'other')).toContain('does not match');
    expect(refused({}, undefined, 2_000_000_001_000)).toContain('expired');
  });
});

const stats = (kind: string) =>
  Object.fromEntries(
    [
      'isFile',
      'isDirectory',
      'isSymbolicLink',
      'isFIFO',
      'isSocket',
      'isBlockDevice',
      'isCharacterDevice',
    ].map((name) => [name, () => name === kind]),
  ) as unknown as Parameters<typeof permissionString>[0];

describe('files', () => {
  it.each([
    [undefined, 'identity'],
    ['gzip', 'gzip'],
    ['gzip, deflate', 'identity'],
    ['gzip, deflate, br, zstd', 'identity'],
    ['gzip;q=1, identity;q=0', 'gzip'],
    ['br, identity;q=0', 'none'],
    ['*;q=0', 'none'],
  ])('Accept-Encoding %s gives %s', (header, coding) =>
    expect(responseCoding(header)).toBe(coding),
  );

  it('recognizes the codings of requests', () => {
    expect(requestDecoder(undefined)).toBe('identity');
    expect(requestDecoder('br')).toBe('unsupported');
  });

  it.each([
    ['bytes=0-4', { start: 0, end: 4 }],
    ['bytes=5-', { start: 5, end: 9 }],
    ['bytes=-3', { start: 7, end: 9 }],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=0-1,3-4', undefined],
    ['items=0-1', undefined],
  ])('range %s', (text, range) => expect(parseRange(text, 10)).toEqual(range));

  it('prints modes and times as E2B does', () => {
    expect(permissionString(stats('isFile'), 0o644)).toBe('-rw-r--r--');
    expect(permissionString(stats('isDirectory'), 0o1777)).toBe('dtrwxrwxrwx');
    expect(permissionString(stats('isSymbolicLink'), 0o777)).toBe('Lrwxrwxrwx');
    expect(timestamp(1_700_000_000_123_456_789n)).toBe('2023-11-14T22:13:20.123456789Z');
    expect(timestamp(-1n)).toBe('1969-12-31T23:59:59.999999999Z');
  });

  it('checks metadata', () => {
    expect(metadataHeaders({ 'x-metadata-a': '1', other: 'x' })).toEqual({ a: '1' });
    expect(metadataRefusal({ a: '1' })).toBeUndefined();
    expect(metadataRefusal({ a: 'ü' })).toContain('non-printable');
    expect(metadataRefusal({ ['k'.repeat(300)]: '' })).toContain('exceeds');
    expect(metadataRefusal({ a: 'x'.repeat(5000) })).toContain('total');
  });

  it('derives the event of an entry', () => {
    const entry = { inode: 1n, isFolder: false, modifiedNs: 1n, changedNs: 1n, size: 1n };
    expect(compare(undefined, entry)).toBe('CREATE');
    expect(compare(entry, undefined)).toBe('REMOVE');
    expect(compare(entry, { ...entry, modifiedNs: 2n, changedNs: 2n })).toBe('WRITE');
    expect(compare(entry, { ...entry, changedNs: 2n })).toBe('CHMOD');
    expect(compare(entry, { ...entry, inode: 2n })).toBe('CREATE');
    expect(compare(entry, entry)).toBeUndefined();
    expect(compare(undefined, undefined)).toBeUndefined();
  });
});

it('a killed process has exit code -1', () => {
  expect(endEvent(null, 'SIGKILL')).toEqual({
    exitCode: -1,
    exited: false,
    status: 'signal: killed',
    error: 'signal: killed',
  });
  expect(endEvent(0, null)).toEqual({ exitCode: 0, exited: true, status: 'exit status 0' });
  expect(endEvent(3, null)).toMatchObject({ exitCode: 3, error: 'exit status 3' });
});

it.each([
  ['127.0.0.1:80', 80],
  ['localhost:65535', 65_535],
  ['[::1]:1', 1],
  ['10.0.0.1:80', undefined],
  ['127.0.0.1:0', undefined],
  ['127.0.0.1:70000', undefined],
  ['127.0.0.1', undefined],
])('a tunnel to %s', (target, port) => expect(tunnelPort(target)).toBe(port));
