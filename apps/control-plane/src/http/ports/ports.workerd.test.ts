import { runInDurableObject } from 'cloudflare:test';
import { ErrorBody, PortList, PortTicket, type SessionId, createId } from '@ship/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { type SessionStub, newSession } from '../../testing/session.ts';
import { ORIGIN, testApi } from '../../testing/api.ts';

const api = testApi();
/** A session without a sandbox: callers with access get 503, others are refused. */
let ada: { sessionId: SessionId; stub: SessionStub };
let bob: { sessionId: SessionId; stub: SessionStub };
beforeAll(async () => {
  [ada, bob] = await Promise.all([newSession(), newSession()]);
});

const originOf = (sessionId: SessionId, port = 3000) =>
  `http://${port}-${sessionId.slice(4)}.ship-preview.localhost:4400`;

async function ticketOf(sessionId: SessionId, port = 3000, path?: string): Promise<URL> {
  const made = await api.call('POST', `/api/sessions/${sessionId}/ports/${port}/ticket`, {
    ...(path !== undefined && { path }),
  });
  return new URL(PortTicket.parse(await made.json()).url);
}

const ask = (url: string | URL, headers: Record<string, string> = {}, method = 'GET') =>
  api.ask(String(url), { method, headers, redirect: 'manual' });

/** Headers with which a browser names the source of a request. */
const mode = (site: string, how: string) => ({ 'sec-fetch-site': site, 'sec-fetch-mode': how });

/** A browser that redeemed a ticket. */
async function cookieOf(sessionId: SessionId, port = 3000): Promise<string> {
  const entered = await ask(await ticketOf(sessionId, port));
  return (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

const ticketUnder = async (ship: ReturnType<typeof testApi>, origin: string) => {
  const path = `${origin}/api/sessions/${ada.sessionId}/ports/3000/ticket`;
  const ticket = PortTicket.parse(await (await ship.call('POST', path, {})).json());
  return { origin: new URL(ticket.url).origin, framedBy: ticket.framedBy };
};

describe('tickets to a port', () => {
  it('[PX2] a ticket is exchanged for a host-only cookie and a clean URL', async () => {
    const url = await ticketOf(ada.sessionId, 3000, '/deep/page?a=1&b=%2F#x');
    expect(url.origin).toBe(originOf(ada.sessionId));
    const entered = await ask(url);
    expect(entered.status).toBe(302);
    expect(entered.headers.get('location')).toBe('/deep/page?a=1&b=%2F#x');
    expect(entered.headers.get('set-cookie')).toMatch(
      /^ship_port_4400=[\w-]{43}; Path=\/; HttpOnly; Max-Age=43200; SameSite=None; Secure; Partitioned$/,
    );
    const cookie = (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    expect((await ask(`${url.origin}/`, { cookie })).status).toBe(503);
  });

  it('[PX2] is valid once, even for two concurrent requests', async () => {
    const url = await ticketOf(ada.sessionId);
    const statuses = await Promise.all([ask(url), ask(url), ask(url)]);
    expect(statuses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([302, 403, 403]);
    expect((await ask(url)).headers.get('set-cookie')).toBeNull();
  });

  it('[PX2] is valid for a minute; the cookie for a day at most', async () => {
    const url = await ticketOf(ada.sessionId);
    const cookie = await cookieOf(ada.sessionId);
    await runInDurableObject(ada.stub, (_, { storage }) => {
      const [row] = storage.sql
        .exec<{ left: number }>(
          "SELECT MAX(expires_at) AS left FROM port_passes WHERE kind = 'ticket'",
        )
        .toArray();
      expect((row?.left ?? Infinity) - Date.now()).toBeLessThanOrEqual(60_000);
      storage.sql.exec('UPDATE port_passes SET expires_at = ?', Date.now() - 1);
    });
    expect((await ask(url)).status).toBe(403);
    expect((await ask(`${url.origin}/`, { cookie })).status).toBe(401);
  });

  it('[PX2] opens no other session or port, and is used up by the attempt', async () => {
    for (const elsewhere of [originOf(bob.sessionId), originOf(ada.sessionId, 3001)]) {
      const url = await ticketOf(ada.sessionId);
      expect((await ask(`${elsewhere}${url.pathname}${url.search}`)).status).toBe(403);
    }
    const cookie = await cookieOf(ada.sessionId);
    expect((await ask(`${originOf(bob.sessionId)}/`, { cookie })).status).toBe(401);
    expect((await ask(`${originOf(ada.sessionId, 3001)}/`, { cookie })).status).toBe(401);
  });

  it('[PX2] is issued only to our own page and to programs with a token', async () => {
    const path = `${ORIGIN}/api/sessions/${ada.sessionId}/ports/3000/ticket`;
    const cookie = await api.signIn();
    const post = (headers: Record<string, string>) =>
      api.ask(path, {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json', ...headers },
      });
    expect((await post({ cookie, origin: ORIGIN })).status).toBe(201);
    expect((await post({ cookie })).status).toBe(403);
    expect((await post({ cookie, origin: originOf(ada.sessionId) })).status).toBe(403);
    expect((await post({ origin: ORIGIN })).status).toBe(401);
  });

  it('[PX2] redirects only to the port’s own host, with any `to`', async () => {
    for (const path of ['//evil.example/', '/\\evil.example', 'http://evil.example/', 'x', '']) {
      const made = await api.call('POST', `/api/sessions/${ada.sessionId}/ports/3000/ticket`, {
        path,
      });
      expect([path, made.status]).toEqual([path, 400]);
      const url = await ticketOf(ada.sessionId);
      url.searchParams.set('to', path);
      expect([path, (await ask(url)).headers.get('location')]).toEqual([path, '/']);
    }
  });

  it('[PX2] unused tickets expire and do not accumulate', async () => {
    await runInDurableObject(bob.stub, async (session, { storage }) => {
      for (let i = 0; i < 210; i++) await session.portTicket(3000, []);
      const [row] = storage.sql
        .exec<{ kept: number }>('SELECT COUNT(*) AS kept FROM port_passes')
        .toArray();
      expect(row?.kept).toBe(200);
    });
  });

  it('[PX3] none is issued for the agent, the sandbox’s supervisor or the egress proxies', async () => {
    for (const port of [4096, 49_983, 3128, 7001, 7002, 7003]) {
      const made = await api.call(
        'POST',
        `/api/sessions/${ada.sessionId}/ports/${port}/ticket`,
        {},
      );
      expect([port, made.status]).toEqual([port, 403]);
    }
    for (const port of ['0', '65536', 'x', '080']) {
      const made = await api.call(
        'POST',
        `/api/sessions/${ada.sessionId}/ports/${port}/ticket`,
        {},
      );
      expect([port, made.status]).toEqual([port, 400]);
    }
  });
});

describe('hosts of sandbox ports', () => {
  it('[PX4] serve nothing of Ship: neither web app, nor API, nor gateway', async () => {
    for (const path of ['/', '/api/health', '/index.html', '/gateway/models/v1', '/assets/x.js']) {
      const answer = await ask(`${originOf(ada.sessionId)}${path}`, { accept: 'text/html' });
      expect([path, answer.status]).toEqual([path, 401]);
      expect(answer.headers.get('set-cookie')).toBeNull();
      expect(await answer.text()).toContain('Open this from Ship');
    }
  });

  it('[PX4] have only the format of a port and a session below a known domain', async () => {
    const tail = ada.sessionId.slice(4);
    for (const host of [`0-${tail}`, `65536-${tail}`, `3000-${tail}x`, `3000-ilou${tail.slice(4)}`])
      expect((await ask(`http://${host}.ship-preview.localhost:4400/`)).status).toBe(403);
    expect((await ask(`http://3000-${tail}.evil.example:4400/`)).status).toBe(403);
    expect((await ask(`http://3000-${tail}.x.ship-preview.localhost:4400/`)).status).toBe(403);
    for (const path of ['/', '/api/health'])
      expect((await ask(`http://ship-preview.localhost:4400${path}`)).status).toBe(403);
  });

  it('[PX11] are a different site than all hosts of the app', async () => {
    const origin = originOf(ada.sessionId);
    for (const page of ['http://localhost:4400', 'http://127.0.0.1:4400', ORIGIN])
      expect(await ticketUnder(api, page)).toEqual({ origin, framedBy: page });
    // When a policy cannot name the app’s host, another host frames it.
    expect(await ticketUnder(api, 'http://[::1]:4400')).toEqual({ origin, framedBy: ORIGIN });
  });

  it('[PX4] without a preview host they are below the app’s host, or below one that can have subdomains', async () => {
    const ship = testApi({ previewHost: null });
    const origin = originOf(ada.sessionId).replace('ship-preview', 'ship');
    for (const page of [
      'http://localhost:4400',
      'http://127.0.0.1:4400',
      'http://[::1]:4400',
      ORIGIN,
    ])
      expect(await ticketUnder(ship, page)).toEqual({ origin, framedBy: ORIGIN });
    const { url } = PortTicket.parse(
      await (
        await ship.call('POST', `/api/sessions/${ada.sessionId}/ports/3000/ticket`, {})
      ).json(),
    );
    const entered = await ship.ask(url, { redirect: 'manual' });
    expect(entered.headers.get('set-cookie')).toMatch(/; SameSite=Lax$/);
  });

  it('[PX11] an old host redirects to the new one and serves nothing', async () => {
    const old = originOf(ada.sessionId).replace('ship-preview', 'ship');
    const moved = await ask(`${old}/a?b=1`);
    expect([moved.status, moved.headers.get('location')]).toEqual([
      308,
      `${originOf(ada.sessionId)}/a?b=1`,
    ]);
    expect((await ask(`${old}/a`, {}, 'POST')).status).toBe(404);
  });

  it('[PX5] an unknown session is not found, with any cookie and any ticket', async () => {
    const unknown = createId('ses');
    const cookie = await cookieOf(ada.sessionId);
    expect((await ask(`${originOf(unknown)}/`, { cookie })).status).toBe(404);
    const { pathname, search } = await ticketOf(ada.sessionId);
    expect((await ask(`${originOf(unknown)}${pathname}${search}`)).status).toBe(404);
    const made = await api.call('POST', `/api/sessions/${unknown}/ports/3000/ticket`, {});
    expect(ErrorBody.parse(await made.json()).error.code).toBe('not-found');
  });

  it('[PX5] a deleted session is not found, even with an earlier cookie', async () => {
    const { sessionId, stub } = await newSession();
    const cookie = await cookieOf(sessionId);
    expect((await ask(`${originOf(sessionId)}/`, { cookie })).status).toBe(503);
    await stub.remove('ada');
    expect((await ask(`${originOf(sessionId)}/`, { cookie })).status).toBe(404);
  });

  it('[PX1] without a sandbox that runs, nothing listens', async () => {
    const listed = await api.call('GET', `/api/sessions/${ada.sessionId}/ports`);
    expect(PortList.parse(await listed.json())).toEqual({ ports: [] });
  });

  it('[PX6] other pages may only navigate there', async () => {
    const cookie = await cookieOf(ada.sessionId);
    const own = originOf(ada.sessionId);
    const other = originOf(bob.sessionId);
    const status = async (method: string, headers: Record<string, string>) =>
      (await ask(`${own}/`, { cookie, ...headers }, method)).status;
    const upgrade = { upgrade: 'websocket' };
    // 503: access granted, but there is no sandbox.
    expect(await status('GET', {})).toBe(503);
    expect(await status('GET', mode('none', 'navigate'))).toBe(503);
    expect(await status('GET', mode('same-site', 'navigate'))).toBe(503);
    expect(await status('GET', mode('same-origin', 'cors'))).toBe(503);
    expect(await status('POST', { origin: own, ...mode('same-origin', 'cors') })).toBe(503);
    expect(await status('GET', { ...upgrade, origin: own })).toBe(503);
    expect(await status('GET', mode('same-site', 'no-cors'))).toBe(403);
    expect(await status('GET', mode('same-site', 'cors'))).toBe(403);
    expect(await status('GET', { origin: other })).toBe(403);
    expect(await status('GET', { origin: ORIGIN })).toBe(403);
    expect(await status('POST', {})).toBe(403);
    expect(await status('POST', { origin: other, ...mode('same-site', 'navigate') })).toBe(403);
    expect(await status('POST', mode('same-site', 'navigate'))).toBe(403);
    expect(await status('GET', upgrade)).toBe(403);
    expect(await status('GET', { ...upgrade, origin: other })).toBe(403);
    expect(await status('GET', { ...upgrade, origin: 'null' })).toBe(403);
  });

  it('[PX8] a foreign cookie of the same name does not block access', async () => {
    const cookie = await cookieOf(ada.sessionId);
    const cookies = `ship_port_4400=x; ship_port_4400=${'A'.repeat(43)}; ${cookie}`;
    expect((await ask(`${originOf(ada.sessionId)}/`, { cookie: cookies })).status).toBe(503);
  });

  it('[PX9] browsers get a page that reloads, programs a line of text, and only the web app may frame it', async () => {
    const cookie = await cookieOf(ada.sessionId);
    const page = await ask(`${originOf(ada.sessionId)}/`, { cookie, accept: 'text/html' });
    expect(await page.text()).toContain('http-equiv="refresh"');
    expect(page.headers.get('content-security-policy')).toContain(
      "frame-ancestors 'self' http://ship.localhost:4400 http://localhost:4400 http://127.0.0.1:4400",
    );
    const line = await ask(`${originOf(ada.sessionId)}/`, { cookie });
    expect(line.headers.get('content-type')).toContain('text/plain');
    expect(line.headers.get('retry-after')).toBe('2');
  });
});
