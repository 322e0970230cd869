/** Attacks of pages in the browser of a member: other sites, other origins, fixed cookies, links. */
import { PortTicket, SignInLink } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HANDSHAKE } from '../harness/raw-http.ts';
import { type Member, Team, cookieIn } from '../harness/team.ts';
import { type Route, isOpenToAll, listRoutes } from './team-routes.ts';

const MINUTE_MS = 60_000;

let team: Team;
let ada: Member;
let cookie: string;
let sessionId: string;
let routes: Route[];
beforeAll(async () => {
  team = await Team.open();
  ada = await team.member('Ada');
  cookie = await team.cookieOf(ada.value);
  ({ sessionId } = await team.owner.create());
  routes = await listRoutes(team, { sessionId });
}, MINUTE_MS);
afterAll(() => team.close());

const foreignOrigins = () => [
  undefined,
  'null',
  'http://evil.example',
  `https://ship.localhost:${team.plane.port}`,
  `http://ship.localhost:${team.plane.port + 1}`,
  `http://3000-${sessionId.slice(4)}.ship-preview.localhost:${team.plane.port}`,
  `http://evil.ship.localhost:${team.plane.port}`,
];

describe('a page in a member’s browser', { timeout: 2 * MINUTE_MS }, () => {
  it('[AT-T10] attack: another page changes something with the cookie of a member (CSRF)', async () => {
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/json',
    ];
    const changing = routes.filter((route) => route.method !== 'GET' && !isOpenToAll(route));
    const before = await team.owner.call('GET', '/tokens');
    for (const { method, path } of changing.filter(({ path: at }) => at.startsWith('/api/')))
      for (const origin of foreignOrigins()) {
        if (path === '/api/hooks/github') continue;
        const from = origin === undefined ? {} : { origin };
        const type = types[path.length % types.length] ?? '';
        const headers = { cookie, 'content-type': type, ...from };
        const { status } = await team.ask({ method, path, headers, body: '{"name":"forged"}' });
        expect([`${method} ${path} from ${origin}`, status]).toEqual([
          `${method} ${path} from ${origin}`,
          403,
        ]);
      }
    // A page of the web app that is tricked into a simple request: only the JSON content type is accepted.
    for (const type of types.slice(0, 3)) {
      const headers = { ...team.ownPage(cookie), 'content-type': type };
      const answer = await team.ask({
        method: 'POST',
        path: '/api/tokens',
        headers,
        body: '{"name":"x"}',
      });
      expect(answer.status).toBe(415);
    }
    expect((await team.owner.call('GET', '/tokens')).text).toBe(before.text);
  });

  it('[AT-T11] attack: another page opens a socket or a stream with the cookie of a member', async () => {
    const sockets = routes.filter(({ pattern }) =>
      /live$|socket$|terminals\/\{name\}$/.test(pattern),
    );
    expect(sockets.length).toBeGreaterThanOrEqual(3);
    for (const { path, method } of sockets.filter((route) => route.method === 'GET'))
      for (const origin of foreignOrigins()) {
        const from = origin === undefined ? {} : { origin };
        const answer = await team.ask({ method, path, headers: { ...HANDSHAKE, cookie, ...from } });
        answer.socket?.destroy();
        expect([`${path} from ${origin}`, answer.status]).toEqual([`${path} from ${origin}`, 403]);
      }
    const path = `/api/sessions/${sessionId}/events`;
    for (const site of ['cross-site', 'same-site']) {
      const answer = await team.ask({ path, headers: { cookie, 'sec-fetch-site': site } });
      expect(answer.status).toBe(403);
    }
    const own = await team.ask({
      path: '/api/live',
      headers: { ...HANDSHAKE, ...team.ownPage(cookie) },
    });
    own.socket?.destroy();
    expect(own.status).toBe(101);
  });

  it('[AT-T12] attack: signs a browser in as another person, or fixes its session beforehand', async () => {
    for (const origin of foreignOrigins().filter((each) => each !== undefined))
      expect((await team.signIn({ token: ada.value }, { origin })).status).toBe(403);
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await team.signIn({ token: ada.value }, headers)).status).toBe(403);
    // A sign-in must never adopt a cookie that the attacker set.
    const name = `ship_${team.plane.port}`;
    const attackers = `${name}=${'A'.repeat(43)}`;
    const fixed = cookieIn(await team.signIn({ token: ada.value }, { cookie: attackers }));
    expect(fixed).toMatch(new RegExp(`^${name}=[\\w-]{43}$`));
    expect(fixed).not.toBe(attackers);
    const probe = await team.ask({ path: '/api/me', headers: { cookie: attackers } });
    expect(probe.status).toBe(401);
    // Nor may it block the valid one.
    const both = await team.ask({ path: '/api/me', headers: { cookie: `${attackers}; ${fixed}` } });
    expect(both.status).toBe(200);
    expect(String((await team.signIn({ token: ada.value })).headers['set-cookie'])).toMatch(
      /; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
    );
  });

  it('[AT-T13] attack: a link of this server leads to another site, or writes a header', async () => {
    const tricks = [
      '//evil.example/x',
      '/\\evil.example',
      '/%0d%0aset-cookie:%20a=b',
      '/\r\nset-cookie: a=b',
      '/..//evil.example',
      'https://evil.example',
      'javascript:alert(1)',
    ];
    for (const path of tricks) {
      const made = await ada.api.call('POST', `/sessions/${sessionId}/ports/3000/ticket`, { path });
      if (made.status !== 201) continue;
      const { url } = PortTicket.parse(made.json);
      const { host, pathname, search } = new URL(url);
      const entered = await team.ask({ path: `${pathname}${search}`, headers: { host } });
      expect(entered.status).toBe(302);
      expect([path, new URL(String(entered.headers.location), url).host]).toEqual([path, host]);
      expect(entered.headers['set-cookie']).toHaveLength(1);
    }
    // The old host names of ports redirect only to the new ones.
    const host = `3000-${sessionId.slice(4)}.ship.localhost:${team.plane.port}`;
    for (const path of ['//evil.example/', '/@evil.example', '/\\evil.example', '/%0d%0ax:y']) {
      const { status, headers } = await team.ask({ path, headers: { host } });
      expect(status).toBe(308);
      expect(new URL(String(headers.location)).hostname).toMatch(/\.ship-preview\.localhost$/);
      expect(headers['x']).toBeUndefined();
    }
  });

  it('[AT-T14] attack: reads answers to a member from a cache after the member left', async () => {
    const bearer = { authorization: `Bearer ${ada.value}` };
    const paths = routes.filter(({ method, path }) => method === 'GET' && path.startsWith('/api/'));
    let seen = 0;
    for (const { path } of paths) {
      if (/events$|\/live$|socket$/.test(path)) continue;
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await team.ask({ method, path, headers: bearer });
        if (status === 200) seen += 1;
        expect(headers['cache-control']).toMatch(/no-store|private/);
        expect([`${method} ${path} ${status}`, headers['x-content-type-options']]).toEqual([
          `${method} ${path} ${status}`,
          'nosniff',
        ]);
      }
    }
    expect(seen).toBeGreaterThan(20);
  });

  it('[AT-T15] attack: a link that signs in is used twice, elsewhere, or as a cookie', async () => {
    const { code } = SignInLink.parse(await ada.api.ask('POST', '/sign-in/links'));
    const asCookie = { cookie: `ship_${team.plane.port}=${code}` };
    expect((await team.ask({ path: '/api/me', headers: asCookie })).status).toBe(401);
    const bearer = { authorization: `Bearer ${code}` };
    expect((await team.ask({ path: '/api/me', headers: bearer })).status).toBe(401);
    expect((await team.signIn({ token: code })).status).toBe(401);
    const foreign = await team.signIn({ code }, { origin: 'http://evil.example' });
    expect(foreign.status).toBe(403);
    const answers = await Promise.all([team.signIn({ code }), team.signIn({ code })]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 401]);
  });
});
