import { connect } from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { metadataFilter, pageOf } from '../../src/api/paging.ts';
import { API_KEY, startHarness, type Harness } from './harness.ts';

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
});
afterAll(async () => {
  await h.dispose();
});

describe('refusals', () => {
  it('requires the key, except for health', async () => {
    expect(
      (await h.call('GET', '/v2/sandboxes', undefined, { 'x-api-key': 'wrong' })).json,
    ).toMatchObject({ code: 401 });
    expect((await h.call('GET', '/health', undefined, { 'x-api-key': '' })).status).toBe(200);
  });

  it.each([
    ['POST', '/v2/sandboxes', '{bad', 400],
    ['POST', '/v2/sandboxes', {}, 400],
    ['POST', '/v2/sandboxes', { templateID: 'nope' }, 404],
    ['POST', '/v2/sandboxes', { templateID: 'base', timeout: -1 }, 400],
    ['POST', '/v2/sandboxes', { templateID: 'base', timeout: 1.5 }, 400],
    ['POST', '/v2/sandboxes', { templateID: 'base', envVars: { 'A=B': '1' } }, 400],
    ['POST', '/v2/sandboxes', { templateID: 'base', metadata: { a: 1 } }, 400],
    ['POST', '/v2/sandboxes', { templateID: 'base', network: { allowOut: ['not a host'] } }, 400],
    ['POST', '/v2/sandboxes', { templateID: 'base', network: { denyOut: ['example.com'] } }, 400],
    [
      'POST',
      '/v2/sandboxes',
      { templateID: 'base', network: { egressProxy: { address: 'a:1' } } },
      400,
    ],
    ['POST', '/v2/sandboxes', { templateID: 'base', network: { httpsPorts: [49983] } }, 400],
    [
      'POST',
      '/v2/sandboxes',
      {
        templateID: 'base',
        network: { rules: { 'a.test': [{ transform: { headers: { A: 'b' } } }] } },
      },
      400,
    ],
    ['POST', '/v2/sandboxes', { templateID: 'base', iam: { tokens: { a: {} } } }, 400],
    [
      'POST',
      '/v2/sandboxes',
      { templateID: 'base', volumeMounts: [{ name: 'v', path: '/v' }] },
      400,
    ],
    [
      'POST',
      '/v2/sandboxes',
      {
        templateID: 'base',
        autoPause: true,
        autoPauseMemory: false,
        autoResume: { enabled: true },
      },
      400,
    ],
    ['GET', '/v2/sandboxes?limit=0', undefined, 400],
    ['GET', '/v2/sandboxes?nextToken=%00', undefined, 400],
    ['GET', '/v2/sandboxes?state=gone', undefined, 400],
    ['GET', '/sandboxes/..%2f..%2fetc', undefined, 404],
    ['GET', `/sandboxes/${'a'.repeat(5_000)}`, undefined, 404],
    ['POST', '/volumes', {}, 400],
    ['GET', '/secrets', undefined, 400],
    ['POST', '/v3/templates', {}, 400],
    ['GET', '/templates/aliases/nope', undefined, 404],
    ['DELETE', '/templates/base', undefined, 403],
    ['GET', '/nope', undefined, 404],
    ['POST', '/v2/sandboxes', 'x'.repeat(2_000_000), 413],
  ])('%s %s %j is answered %i', async (method, path, body, status) => {
    const reply = await h.call(method, path, body);
    expect([reply.status, reply.json['code']]).toEqual([status, status]);
    expect(reply.json['message']).toEqual(expect.any(String));
  });
});

it('[SV5] a truncated body is a client error', async () => {
  const { port } = new URL(h.server.apiUrl);
  const head = `POST /v2/sandboxes HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${API_KEY}\r\nContent-Length: 999\r\n\r\n`;
  const before = h.log.length;
  const answers = await Promise.all(
    Array.from(
      { length: 10 },
      (_, waitMs) =>
        new Promise<string>((resolve) => {
          const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
          let answer = '';
          socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
          socket.on('error', () => undefined);
          socket.on('close', () => resolve(answer.slice(0, 12)));
          socket.on('end', () => socket.destroy());
          socket.write(`${head}{"templateID"`, () => setTimeout(() => socket.end(), waitMs));
        }),
    ),
  );
  expect(answers.filter((answer) => answer !== '' && answer !== 'HTTP/1.1 400')).toEqual([]);
  expect(h.log.slice(before).filter((line) => line.includes('POST /v2/sandboxes'))).toEqual([]);
});

describe('templates', () => {
  it('lists and finds by name and alias', async () => {
    expect((await h.call('GET', '/templates')).json).toMatchObject([
      { templateID: 'base', buildStatus: 'ready' },
    ]);
    expect((await h.call('GET', '/templates/aliases/base')).json).toMatchObject({
      templateID: 'base',
    });
    expect((await h.call('GET', '/templates/base/tags')).json).toMatchObject([{ tag: 'default' }]);
  });
});

describe('metrics and logs', () => {
  it('are real samples and real events', async () => {
    const id = await h.create();
    expect((await h.call('GET', `/sandboxes/${id}/metrics`)).json).toMatchObject([
      { cpuUsedPct: 5, memUsed: 1_000, memTotal: 512 * 2 ** 20 },
    ]);
    expect((await h.call('GET', `/sandboxes/metrics?sandbox_ids=${id}`)).json).toMatchObject({
      sandboxes: { [id]: { diskUsed: 10 } },
    });
    expect((await h.call('GET', `/v2/sandboxes/${id}/logs`)).json).toMatchObject({
      logs: [{ message: 'created from base' }],
    });
    await h.call('DELETE', `/sandboxes/${id}`);
  });
});

describe('network', () => {
  it('replaces the outbound rules and keeps the inbound ones', async () => {
    const id = await h.create({
      network: { allowPublicTraffic: false, allowOut: ['a.test'] },
      allow_internet_access: false,
    });
    expect(
      (await h.call('PUT', `/sandboxes/${id}/network`, { denyOut: ['10.0.0.0/8'] })).status,
    ).toBe(204);
    expect((await h.call('GET', `/sandboxes/${id}`)).json).toMatchObject({
      allowInternetAccess: null,
      network: { allowPublicTraffic: false, denyOut: ['10.0.0.0/8'] },
    });
    await h.call('DELETE', `/sandboxes/${id}`);
  });
});

describe('paging', () => {
  it('walks all pages over the API while sandboxes come and go', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      h.clock.advance(10);
      ids.push(await h.create({ metadata: { page: 'me', odd: 'a b&c=d' } }));
    }
    const query = `metadata=${encodeURIComponent(`page=me&odd=${encodeURIComponent(encodeURIComponent('a b&c=d'))}`)}`;
    const seen: unknown[] = [];
    let token: string | null = '';
    while (token !== null) {
      const next: string = token === '' ? '' : `&nextToken=${token}`;
      const reply = await h.call('GET', `/v2/sandboxes?limit=2&${query}${next}`);
      seen.push(...reply.json.map((item) => (item as { sandboxID: string }).sandboxID));
      token = reply.headers.get('x-next-token');
      if (seen.length === 2) await h.call('DELETE', `/sandboxes/${ids[3]}`);
    }
    expect(seen).toEqual([ids[4], ids[3], ids[2], ids[1], ids[0]]);
    for (const id of ids) await h.call('DELETE', `/sandboxes/${id}`);
  });

  it('keeps its position when items at the cursor are gone', () => {
    const items = ['a', 'b', 'c', 'd'].map((id, index) => ({ id, atMs: index }));
    const options = { limit: 2, order: 'asc' } as const;
    const first = pageOf(items, (item) => item, { ...options, after: undefined });
    const rest = pageOf(items.slice(2), (item) => item, { ...options, after: first.nextToken });
    expect(rest).toEqual({ items: items.slice(2), nextToken: undefined });
  });

  it('filters by all pairs', () => {
    const filter = metadataFilter('a=1&b=x%2520y');
    expect([filter({ a: '1', b: 'x y', c: '3' }), filter({ a: '1' })]).toEqual([true, false]);
    expect(metadataFilter(undefined)({})).toBe(true);
  });
});
