import { runInDurableObject } from 'cloudflare:test';
import { ErrorBody } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { LOCAL_TOKEN, ORIGIN, concretePath, testApi } from '../../testing/api.ts';
import { newWorkspace } from '../../testing/workspace.ts';
import { unwrap } from '../../platform/result.ts';

const codeOf = async (response: Response) => ErrorBody.parse(await response.json()).error.code;
const bearer = (value: string) => ({ headers: { authorization: `Bearer ${value}` } });

const cookieOf = (answer: Response) => answer.headers.get('set-cookie') ?? '';

const make = (api: ReturnType<typeof testApi>, value: string) =>
  api.ask('https://ship.example/api/tokens', {
    method: 'POST',
    body: '{"name":"first"}',
    headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
  });

describe('authentication', () => {
  it('[AU1] every route except health and sign-in requires authentication, even one that does not exist', async () => {
    const api = testApi();
    for (const { method, path } of api.endpoints) {
      const response = await api.ask(concretePath(path), { method: method.toUpperCase() });
      const open = path === '/health' || (path === '/sign-in' && method === 'get');
      // Sign-in checks a token itself.
      const expected = open ? 200 : path === '/sign-in' ? 415 : 401;
      expect([path, response.status]).toEqual([path, expected]);
    }
    const missing = await api.ask('/api/nothing');
    expect(missing.status).toBe(401);
    expect(missing.headers.get('www-authenticate')).toContain('Bearer');
    for (const path of ['/api/health/', '/api/health/x', '/api//health', '/API/settings'])
      expect((await api.ask(path)).headers.get('content-type')).not.toContain('settings');
  });

  it('[AU2] local mode accepts the local token, an API token and the cookie of a signed-in browser', async () => {
    const stub = newWorkspace();
    const api = testApi({ stub });
    const { value } = unwrap(await stub.createToken('ci'));
    expect((await api.ask('/api/settings', bearer(LOCAL_TOKEN))).status).toBe(200);
    expect((await api.ask('/api/settings', bearer(value))).status).toBe(200);
    const cookie = await api.signIn();
    expect((await api.ask('/api/settings', { headers: { cookie } })).status).toBe(200);
    // An attacker set others of the same name in front: some with a valid format, and many without.
    const [name = ''] = cookie.split('=');
    const likely = Array.from({ length: 15 }, (_, i) => `${name}=${String(i).padStart(43, 'p')}`);
    const unlikely = Array.from({ length: 100 }, (_, i) => `${name}=${i}`);
    const planted = [...unlikely, ...likely, 'other=1', cookie].join('; ');
    expect((await api.ask('/api/settings', { headers: { cookie: planted } })).status).toBe(200);
  });

  it.each([
    ['nothing', {}],
    ['a wrong token', { authorization: 'Bearer wrong' }],
    ['a token in front of the right one', { authorization: `Bearer x${LOCAL_TOKEN}` }],
    ['a part of the right token', { authorization: `Bearer ${LOCAL_TOKEN.slice(0, -1)}` }],
    ['an empty token', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: `Basic ${btoa(`x:${LOCAL_TOKEN}`)}` }],
    ['the token as cookie', { cookie: `ship_4400=${LOCAL_TOKEN}` }],
    ['an empty cookie', { cookie: 'ship_4400=' }],
  ])('[AU2] %s is refused, with a remedy and without an echo', async (_, headers) => {
    const response = await testApi().ask('/api/settings', { headers });
    expect(response.status).toBe(401);
    const text = await response.text();
    expect(text).not.toContain(LOCAL_TOKEN.slice(0, 10));
    expect(ErrorBody.parse(JSON.parse(text)).error.remedy).toContain('npx --no-install ship open');
  });

  it('[AU2] a valid cookie does not help a wrong token', async () => {
    const api = testApi();
    const cookie = await api.signIn();
    const headers = { cookie, authorization: 'Bearer wrong' };
    expect((await api.ask('/api/settings', { headers })).status).toBe(401);
  });

  it('[AU3] team mode accepts API tokens and signed-in browsers', async () => {
    const stub = newWorkspace();
    const local = testApi({ stub });
    const team = testApi({ stub, mode: 'team', hosts: 'ship.example' });
    const ask = (headers: Record<string, string>) =>
      team.ask('https://ship.example/api/settings', { headers });
    const { token, value } = unwrap(await stub.createToken('ci'));
    expect((await ask({ authorization: `Bearer ${value}` })).status).toBe(200);
    for (const headers of [
      {},
      { authorization: `Bearer ${LOCAL_TOKEN}` },
      { cookie: await local.signIn() },
    ]) {
      const response = await ask(headers);
      expect(response.status).toBe(401);
      expect(ErrorBody.parse(await response.json()).error.remedy).toContain('API token');
    }
    unwrap(await stub.revokeToken(token.tokenId));
    expect((await ask({ authorization: `Bearer ${value}` })).status).toBe(401);
  });

  it('[AU11] [AU17] in team mode the owner’s token creates the first API token; a weak one is ignored', async () => {
    const ownerToken = 'owner-3f9a1c7e5b2d8064f1e3a9c7b5d2';
    const team = { mode: 'team', hosts: 'ship.example' };
    const made = await make(testApi({ ...team, ownerToken }), ownerToken);
    expect(made.status).toBe(201);
    expect((await make(testApi({ ...team, ownerToken }), `${ownerToken}7`)).status).toBe(401);
    expect((await make(testApi({ ...team, ownerToken: 'short' }), 'short')).status).toBe(401);
    const weak = 'password-1'.repeat(4);
    expect((await make(testApi({ ...team, ownerToken: weak }), weak)).status).toBe(401);
    expect((await make(testApi({ ...team, ownerToken: '' }), '')).status).toBe(401);
    // Local mode has no owner.
    const local = testApi({ ownerToken });
    const response = await local.ask('/api/settings', bearer(ownerToken));
    expect(response.status).toBe(401);
  });

  it.each([
    [null, LOCAL_TOKEN],
    ['', LOCAL_TOKEN],
    ['Local', LOCAL_TOKEN],
    ['open', LOCAL_TOKEN],
    ['local', null],
    ['local', ''],
  ])(
    '[AU4] mode %j with token %j rejects everyone, and says what is missing',
    async (mode, localToken) => {
      const api = testApi({ mode, localToken });
      for (const headers of [
        {},
        { authorization: `Bearer ${LOCAL_TOKEN}` },
        { authorization: 'Bearer ' },
      ])
        expect(await codeOf(await api.ask('/api/settings', { headers }))).toBe('not-configured');
      expect((await api.ask('/api/health')).status).toBe(200);
    },
  );

  it('[AU5] the cookie is host-only, HttpOnly, and neither the token nor the code', async () => {
    const api = testApi();
    const code = await api.newCode();
    const header = cookieOf(await api.redeem(code));
    expect(header).toMatch(
      /^ship_4400=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=31536000$/,
    );
    expect(header).not.toContain(LOCAL_TOKEN);
    expect(header).not.toContain(code);
    const secure = cookieOf(await api.redeem(await api.newCode(), 'https://localhost'));
    expect(secure).toMatch(/^__Host-ship=[\w-]{43}; Path=\/; .*; Secure$/);
  });

  it('[AU5] in local mode a visit renews the cookie, and signing out ends it', async () => {
    const stub = newWorkspace();
    const api = testApi({ stub });
    const cookie = await api.signIn();
    const soon = Date.now() + 60_000;
    await runInDurableObject(stub, (_, { storage }) => {
      storage.sql.exec('UPDATE browsers SET expires_at = ?', soon);
    });
    const visit = await api.ask('/api/me', { headers: { cookie } });
    expect(cookieOf(visit)).toBe(`${cookie}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000`);
    const [row] = await runInDurableObject(stub, (_, { storage }) =>
      storage.sql.exec<{ expires_at: number }>('SELECT expires_at FROM browsers').toArray(),
    );
    expect(row?.expires_at).toBeGreaterThan(soon + 300 * 24 * 60 * 60 * 1_000);
    await api.ask('/api/sign-out', { method: 'POST', headers: { cookie, origin: ORIGIN } });
    expect((await api.ask('/api/settings', { headers: { cookie } })).status).toBe(401);
  });

  it('[AU5] a new local token invalidates old cookies', async () => {
    const stub = newWorkspace();
    const cookie = await testApi({ stub }).signIn();
    const other = testApi({ stub, localToken: 'another-local-token' });
    expect((await other.ask('/api/settings', { headers: { cookie } })).status).toBe(401);
  });

  it('[AU5] the cookie of another installation on this machine is neither used nor overwritten', async () => {
    const api = testApi();
    const other = await api.signIn('http://ship.localhost:4401');
    expect(other.startsWith('ship_4401=')).toBe(true);
    expect((await api.ask('/api/settings', { headers: { cookie: other } })).status).toBe(401);
  });

  it('[AU7] local mode accepts only loopback hosts, even if others are configured', async () => {
    const hosts =
      'localhost,a.ship.localhost,127.9.9.9,[::1],ship.example,localhost.evil.example,10.0.0.1';
    const api = testApi({ hosts });
    const status = async (host: string) => (await api.ask(`http://${host}:4400/api/health`)).status;
    for (const host of ['localhost', 'a.ship.localhost', '127.9.9.9', '[::1]'])
      expect([host, await status(host)]).toEqual([host, 200]);
    for (const host of ['ship.example', 'localhost.evil.example', '10.0.0.1', 'ship.localhost'])
      expect([host, await status(host)]).toEqual([host, 403]);
  });
});

describe('cross-site requests', () => {
  const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
  const ORIGINS = [
    undefined,
    'null',
    ORIGIN,
    'http://8080-abc.ship.localhost:4400',
    'http://ship.localhost:4401',
    'https://ship.localhost:4400',
    'http://evil.example',
  ];
  const SITES = [undefined, 'same-origin', 'none', 'same-site', 'cross-site'];

  it('[AU6] only our own page may use the cookie, in all combinations', async () => {
    const api = testApi();
    const cookie = await api.signIn();
    for (const method of METHODS)
      for (const origin of ORIGINS)
        for (const site of SITES) {
          const headers: Record<string, string> = { cookie };
          if (origin !== undefined) headers.origin = origin;
          if (site !== undefined) headers['sec-fetch-site'] = site;
          const response = await api.ask('/api/nothing', { method, headers });
          const ownPage = origin === ORIGIN || (origin === undefined && method === 'GET');
          const ownSite = site === undefined || site === 'same-origin' || site === 'none';
          expect([method, origin, site, response.status]).toEqual([
            method,
            origin,
            site,
            ownPage && ownSite ? 404 : 403,
          ]);
        }
  });

  it('[AU6] a program with a token needs no origin, but a foreign page’s is refused with any', async () => {
    const api = testApi();
    for (const method of METHODS)
      for (const origin of ORIGINS) {
        const headers: Record<string, string> = { authorization: `Bearer ${LOCAL_TOKEN}` };
        if (origin !== undefined) headers.origin = origin;
        const { status } = await api.ask('/api/nothing', { method, headers });
        const foreign = origin !== undefined && origin !== ORIGIN;
        expect([method, origin, status]).toEqual([method, origin, foreign ? 403 : 404]);
      }
  });

  it('[AU6] a socket with the cookie needs our own origin, one with a token none', async () => {
    const api = testApi();
    const cookie = await api.signIn();
    const open = async (headers: Record<string, string>) => {
      const response = await api.ask('/api/live', {
        headers: { upgrade: 'websocket', ...headers },
      });
      response.webSocket?.accept();
      response.webSocket?.close(1000);
      return response.status;
    };
    expect(await open({ cookie })).toBe(403);
    expect(await open({ cookie, origin: 'http://8080-abc.ship.localhost:4400' })).toBe(403);
    expect(await open({ cookie, origin: ORIGIN, 'sec-fetch-site': 'same-site' })).toBe(403);
    expect(await open({ cookie, origin: ORIGIN })).toBe(101);
    expect(await open({ authorization: `Bearer ${LOCAL_TOKEN}` })).toBe(101);
    expect(await open({})).toBe(401);
  });
});
