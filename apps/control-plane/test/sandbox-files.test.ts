import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { MAX_UPLOAD_BYTES, SandboxListing, type SessionId } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, LOCAL_TOKEN, openHarness } from './harness.ts';
import { until } from './harness/api.ts';

const MINUTE_MS = 60_000;
const BIG_BYTES = 8 * 1024 * 1024;

/** Real workerd, real sandbox server, real disk. */
describe('files of a sandbox', { timeout: 2 * MINUTE_MS }, () => {
  let harness: Harness;
  let sessionId: SessionId;
  const base = () => `/sessions/${sessionId}/sandbox/files`;
  const at = (path: string, part = '') => `${base()}${part}?path=${encodeURIComponent(path)}`;

  beforeAll(async () => {
    harness = await openHarness();
    ({ sessionId } = await harness.api.create());
    await until(
      () => harness.api.sandbox(sessionId),
      ({ status }) => status === 'running',
      MINUTE_MS,
    );
  }, 2 * MINUTE_MS);
  afterAll(() => harness.close(), MINUTE_MS);

  const send = (
    method: string,
    path: string,
    { headers, body }: { headers?: Record<string, string>; body?: BodyInit | null } = {},
  ) =>
    fetch(`${harness.plane.url}/api${path}`, {
      method,
      ...(body !== undefined && { body }),
      headers: { authorization: `Bearer ${LOCAL_TOKEN}`, ...headers },
    });
  const inSandbox = async (command: string) => {
    const sandbox = await harness.api.sandbox(sessionId);
    return harness.sandboxes.run('sandboxId' in sandbox ? sandbox.sandboxId : '', command);
  };
  const put = (path: string, body: BodyInit | null) => send('PUT', at(path, '/content'), { body });
  const list = async (path: string) =>
    SandboxListing.parse(await harness.api.ask('GET', at(path))).entries;
  const code = async (method: string, path: string, body?: unknown) => {
    const { json } = await harness.api.call(method, path, body);
    return (json as { error?: { code: string } }).error?.code;
  };

  const part = async (range: string) => {
    const answer = await send('GET', at('/tmp/digits', '/content'), { headers: { range } });
    return [answer.status, answer.headers.get('content-range'), await answer.text()];
  };

  it('[FL1] an uploaded file is listed and downloads byte for byte', async () => {
    const bytes = randomBytes(BIG_BYTES);
    const name = 'größe & co #1.bin';
    const written = await put(`/home/user/up/${name}`, bytes);
    expect(await written.json()).toEqual({ path: `/home/user/up/${name}`, sizeBytes: BIG_BYTES });
    expect(await list('/home/user/up')).toEqual([{ name, kind: 'file', sizeBytes: BIG_BYTES }]);
    const back = await send('GET', at(`/home/user/up/${name}`, '/content'));
    expect(back.headers.get('content-length')).toBe(String(BIG_BYTES));
    expect(Buffer.from(await back.arrayBuffer()).equals(bytes)).toBe(true);
    const { sandboxId = '' } = (await harness.sandboxes.list(sessionId))[0] ?? {};
    expect(await harness.sandboxes.run(sandboxId, `stat -c %U:%s '/home/user/up/${name}'`)).toBe(
      `user:${BIG_BYTES}\n`,
    );
    await put('/home/user/up/empty', null);
    expect((await send('GET', at('/home/user/up/empty', '/content'))).status).toBe(200);
  });

  it('[FL2] range requests return parts of a file; a range past its end is refused', async () => {
    await put('/tmp/digits', '0123456789');
    expect(await part('bytes=2-4')).toEqual([206, 'bytes 2-4/10', '234']);
    expect(await part('bytes=7-')).toEqual([206, 'bytes 7-9/10', '789']);
    expect(await part('bytes=-2')).toEqual([206, 'bytes 8-9/10', '89']);
    expect(await part('lines=1-2')).toEqual([200, null, '0123456789']);
    expect((await part('bytes=10-'))[0]).toBe(416);
  });

  it('[FL3] creates folders, renames and deletes; a move overwrites nothing', async () => {
    await harness.api.ask('POST', `${base()}/folders`, { path: '/home/user/work/deep' });
    expect(await code('POST', `${base()}/folders`, { path: '/home/user/work' })).toBe('conflict');
    await put('/home/user/work/a', 'a');
    await put('/home/user/work/b', 'b');
    const [a, b, c] = ['/home/user/work/a', '/home/user/work/b', '/home/user/work/c'] as const;
    expect(await code('POST', `${base()}/moves`, { from: a, to: b })).toBe('conflict');
    await harness.api.ask('POST', `${base()}/moves`, { from: a, to: c });
    expect((await list('/home/user/work')).map(({ name }) => name)).toEqual(['deep', 'b', 'c']);
    await harness.api.ask('DELETE', at('/home/user/work'));
    expect(await code('GET', at('/home/user/work'))).toBe('not-found');
    expect(await code('DELETE', at('/home/user/work'))).toBe('not-found');
  });

  it('[FL9] a listing is bounded and handles odd file names', async () => {
    await inSandbox('mkdir /tmp/many; cd /tmp/many; seq -f "%0200.0f" 1 6000 | xargs touch');
    const many = SandboxListing.parse(await harness.api.ask('GET', at('/tmp/many')));
    expect(many).toMatchObject({ truncated: true, entries: { length: 1_000 } });
    await inSandbox('mkdir /tmp/odd; cd /tmp/odd; touch -- "a  b" a b -n; ln -s . link');
    expect(await list('/tmp/odd')).toEqual([
      { name: '-n', kind: 'file', sizeBytes: 0 },
      { name: 'a', kind: 'file', sizeBytes: 0 },
      { name: 'a  b', kind: 'file', sizeBytes: 0 },
      { name: 'b', kind: 'file', sizeBytes: 0 },
      { name: 'link', kind: 'link', sizeBytes: null },
    ]);
    expect(await list('/tmp/odd/link')).toHaveLength(5);
  });

  it('[FL4] an impossible operation fails with its reason', async () => {
    await put('/tmp/file', 'x');
    await inSandbox('mkdir -m 000 /tmp/closed');
    expect(await code('GET', at('/tmp/closed'))).toBe('forbidden');
    expect(await code('GET', at('/tmp/nothing'))).toBe('not-found');
    expect(await code('GET', at('/tmp/nothing', '/content'))).toBe('not-found');
    expect(await code('GET', at('/tmp/file'))).toBe('invalid-input');
    expect(await code('GET', at('/tmp', '/content'))).toBe('invalid-input');
    expect((await put('/tmp', 'x')).status).toBe(400);
    for (const path of ['relative', '/tmp/../etc', '/tmp//x', '/tmp/\0', ''])
      expect([path, await code('GET', at(path))]).toEqual([path, 'invalid-input']);
    expect(await code('DELETE', at('/'))).toBe('invalid-input');
    expect((await put('/proc/version', 'x')).ok).toBe(false);
  });

  it('[FL5] an upload that is too large, lacks a length or breaks off keeps the old file', async () => {
    await put('/tmp/kept', 'before');
    const upload = (headers: Record<string, string | number>, bytes: string, isWhole: boolean) =>
      new Promise<number | undefined>((resolve) => {
        const sent = request(
          `${harness.plane.url}/api${at('/tmp/kept', '/content')}`,
          { method: 'PUT', headers: { authorization: `Bearer ${LOCAL_TOKEN}`, ...headers } },
          (response) => {
            resolve(response.statusCode);
            response.destroy();
          },
        );
        sent.on('error', () => resolve(undefined));
        sent.write(bytes, () => {
          if (isWhole) sent.end();
          else if (headers['content-length'] === 1000) sent.destroy();
        });
      });
    expect(await upload({ 'content-length': MAX_UPLOAD_BYTES + 1 }, 'x', false)).toBe(413);
    expect(await upload({ 'transfer-encoding': 'chunked' }, 'x', true)).toBe(411);
    expect(await upload({ 'content-length': 1000 }, 'half', false)).toBeUndefined();
    const kept = await send('GET', at('/tmp/kept', '/content'));
    expect(await kept.text()).toBe('before');
    await until(
      () => list('/tmp'),
      (entries) => entries.every(({ name }) => !name.endsWith('.part')),
    );
  });

  it('[FL6] content from a sandbox never runs on the web app’s origin', async () => {
    await put('/tmp/evil.html', '<script>alert(1)</script>');
    const { headers } = await send('GET', at('/tmp/evil.html', '/content'));
    expect(headers.get('content-type')).toBe('application/octet-stream');
    expect(headers.get('content-disposition')).toMatch(/^attachment/);
    expect(headers.get('content-security-policy')).toContain('sandbox');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('[FL7] a paused sandbox is woken; without a sandbox the error says what to do', async () => {
    await harness.api.sandbox(sessionId, 'pause');
    expect(SandboxListing.parse(await harness.api.ask('GET', base())).path).toBe('/home/user');
    const bare = await harness.api.create();
    await until(
      () => harness.api.sandbox(bare.sessionId),
      ({ status }) => status === 'running',
    );
    await harness.api.sandbox(bare.sessionId, 'kill');
    expect(await code('GET', `/sessions/${bare.sessionId}/sandbox/files`)).toBe('no-sandbox');
  });
});
