import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { connect } from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { isInternalEnvdPath, routeOf } from '../../src/ports/route.ts';
import { findSigner } from '../../src/ports/signed-url.ts';
import { startHarness, type Harness } from './harness.ts';

let h: Harness;
let id = '';
beforeAll(async () => {
  h = await startHarness({ domain: 'ship.localhost:4400' });
  id = await h.create();
});
afterAll(async () => {
  await h.dispose();
});

function get(
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    request(`${h.server.sandboxUrl}${path}`, { headers }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    })
      .on('error', reject)
      .end();
  });
}

describe('routes', () => {
  const none = { sandboxIdHeader: undefined, sandboxPortHeader: undefined, url: '/' };
  it.each([
    [{ host: '8080-iAbc.Ship.localhost:4400' }, { kind: 'sandbox', id: 'iAbc', port: 8080 }],
    [{ host: '8080-iabc.ship.localhost' }, { kind: 'sandbox', id: 'iabc', port: 8080 }],
    [{ host: '8080-iabc.other.test' }, { kind: 'api' }],
    [{ host: 'ship.localhost:4400' }, { kind: 'api' }],
    [{ host: '99999-iabc.ship.localhost' }, { kind: 'invalid' }],
    [{ host: '80-i_bc.ship.localhost' }, { kind: 'invalid' }],
    [
      { host: 'x', sandboxIdHeader: 'iabc' },
      { kind: 'sandbox', port: 49983 },
    ],
    [
      { host: 'x', sandboxIdHeader: 'iabc', sandboxPortHeader: '3000' },
      { kind: 'sandbox', port: 3000 },
    ],
    [{ host: 'x', sandboxIdHeader: '../x' }, { kind: 'invalid' }],
    [{ host: 'x', sandboxIdHeader: 'iabc', sandboxPortHeader: '0' }, { kind: 'invalid' }],
    [{ host: 'x', url: '/files?path=a&signature=v1_x' }, { kind: 'signed' }],
    [{ host: 'x', url: '/files?path=a' }, { kind: 'api' }],
  ])('%j', (given, expected) => {
    expect(routeOf({ ...none, ...given }, 'ship.localhost:4400')).toMatchObject(expected);
  });

  it.each([
    '/init',
    '/INIT',
    '/init/',
    '/./init',
    '/x/../init',
    '/%69nit',
    '/init?x',
    'http://envd/init',
  ])('%s is reserved for the server', (url) => expect(isInternalEnvdPath(url)).toBe(true));
  it.each(['/initial', '/files?path=/init', '/process.Process/Start', '/%zz'])('%s is not', (url) =>
    expect(isInternalEnvdPath(url)).toBe(false),
  );
});

describe('signed urls', () => {
  it('belong to the sandbox whose token signed them', () => {
    const boxes = [{ id: 'a', accessToken: 't1' }, { id: 'b', accessToken: 't2' }, { id: 'c' }];
    const hash = createHash('sha256').update('/f:read::t2:99').digest('base64').replace(/=+$/, '');
    const query = `path=%2Ff&signature=${encodeURIComponent(`v1_${hash}`)}`;
    const found = findSigner(
      { method: 'GET', url: `/files?${query}&signature_expiration=99` },
      boxes,
    );
    expect(found).toEqual(boxes[1]);
    expect(
      findSigner({ method: 'POST', url: `/files?${query}&signature_expiration=99` }, boxes),
    ).toBeUndefined();
    expect(findSigner({ method: 'GET', url: `/files?${query}` }, boxes)).toBeUndefined();
  });
});

describe('proxy', () => {
  it('reaches envd by header and a port by host name, without its own headers', async () => {
    const { body } = await get('/a?b=1', {
      'E2b-Sandbox-Id': id,
      'E2b-Sandbox-Port': '49983',
      'X-Access-Token': 't',
    });
    expect(body).toBe('inside GET /a?b=1 ');
    const named = await get('/p', { Host: `8080-${id}.Ship.localhost:4400` });
    expect(named).toEqual({ status: 200, body: 'inside GET /p ' });
    const headers = h.backend.requests.at(-1)?.headers;
    expect(headers?.host).toBe(`8080-${id}.Ship.localhost:4400`);
    expect(headers).not.toHaveProperty('e2b-sandbox-id');
  });

  it('reports a closed port, a missing sandbox and a reserved path', async () => {
    const closed = await get('/', { 'E2b-Sandbox-Id': id, 'E2b-Sandbox-Port': '9' });
    expect(JSON.parse(closed.body)).toMatchObject({ code: 502, port: 9, sandboxId: id });
    const gone = await get('/', { 'E2b-Sandbox-Id': 'inobody' });
    expect(JSON.parse(gone.body)).toEqual({
      code: 502,
      message: 'The sandbox was not found',
      sandboxId: 'inobody',
    });
    expect((await get('/init', { 'E2b-Sandbox-Id': id })).status).toBe(403);
    expect((await get('/files?signature=v1_nobody', {})).status).toBe(401);
  });

  it('requires the traffic token when traffic is private', async () => {
    const reply = await h.call('POST', '/v2/sandboxes', {
      templateID: 'base',
      network: { allowPublicTraffic: false, maskRequestHost: 'inner.test:${PORT}' },
    });
    const headers = {
      'E2b-Sandbox-Id': String(reply.json['sandboxID']),
      'E2b-Sandbox-Port': '8080',
    };
    expect((await get('/', headers)).status).toBe(403);
    expect((await get('/', { ...headers, 'e2b-traffic-access-token': 'x' })).status).toBe(403);
    const token = String(reply.json['trafficAccessToken']);
    expect((await get('/', { ...headers, 'e2b-traffic-access-token': token })).status).toBe(200);
    const seen = h.backend.requests.at(-1)?.headers;
    expect(seen?.host).toBe('inner.test:8080');
    expect(seen).not.toHaveProperty('e2b-traffic-access-token');
  });

  it('carries upgrades both ways', async () => {
    const { port } = new URL(h.server.sandboxUrl);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      `GET /ws HTTP/1.1\r\nHost: 8080-${id}.ship.localhost\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`,
    );
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    while (!text.includes('upgraded /ws;'))
      await new Promise((resolve) => socket.once('data', resolve));
    socket.write('ping');
    while (!text.endsWith('ping')) await new Promise((resolve) => socket.once('data', resolve));
    socket.destroy();
    expect(text).toMatch(/^HTTP\/1.1 101 /);
  });

  it('drops open streams on pause and on kill', async () => {
    for (const end of ['pause', 'kill'] as const) {
      const box = await h.create();
      const hanging = get('/hang', { 'E2b-Sandbox-Id': box }).catch((error: Error) => error);
      while (!h.backend.requests.some(({ url }) => url === '/hang'))
        await new Promise((resolve) => setImmediate(resolve));
      h.backend.requests.length = 0;
      await (end === 'pause'
        ? h.call('POST', `/sandboxes/${box}/pause`)
        : h.call('DELETE', `/sandboxes/${box}`));
      expect(await hanging).toBeInstanceOf(Error);
      expect((await get('/health', { 'E2b-Sandbox-Id': box })).status).toBe(502);
    }
  });
});
