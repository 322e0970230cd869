/** Attacks on a deployment without a token. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { HANDSHAKE, type RawAnswer } from '../harness/raw-http.ts';
import { type Member, OWNER_TOKEN, SECRETS_KEY, Team } from '../harness/team.ts';
import { GATEWAYS, type Route, isOpenToAll, listRoutes } from './team-routes.ts';

const MINUTE_MS = 60_000;
const SECRET_NAME = 'STAGING_KEY';
const MEMBER_NAME = 'Ada of the team';

let team: Team;
let ada: Member;
let routes: Route[];
let ownerAnswers: string[];
beforeAll(async () => {
  team = await Team.open();
  ada = await team.member(MEMBER_NAME);
  await team.owner.ask('PUT', `/secrets/${SECRET_NAME}`, { value: 'never shown' });
  const { sessionId } = await team.owner.create({ title: 'Buy the company' });
  routes = await listRoutes(team, { sessionId });
  ownerAnswers = [sessionId, 'Buy the company', MEMBER_NAME, SECRET_NAME, OWNER_TOKEN, SECRETS_KEY];
}, MINUTE_MS);
afterAll(() => team.close());

/** The response contains nothing of the workspace, no secret of the server, and no stack trace. */
function expectNothingRevealed({ text, headers }: RawAnswer): void {
  const all = `${text}\n${JSON.stringify(headers)}`;
  for (const known of ownerAnswers) expect(all).not.toContain(known);
  expect(all).not.toMatch(/\bat \S+ \(|worker\.js|node_modules|SQLITE|stack/);
  expect(headers['set-cookie']).toBeUndefined();
}

describe('a stranger at a deployment', { timeout: MINUTE_MS }, () => {
  it('[AT-T01] attack: calls each route without a credential and gets an answer', async () => {
    expect(routes.length).toBeGreaterThan(60);
    for (const route of routes) {
      const { method, path } = route;
      const headers = method === 'GET' ? {} : { 'content-type': 'application/json' };
      const body = method === 'GET' ? {} : { body: '{}' };
      const answers = [await team.ask({ method, path, headers, ...body })];
      // Sockets and streams start with a handshake.
      if (method === 'GET') answers.push(await team.ask({ path, headers: HANDSHAKE }));
      for (const answer of answers) {
        answer.socket?.destroy();
        expectNothingRevealed(answer);
        if (!isOpenToAll(route))
          expect([`${method} ${path}`, answer.status]).toEqual([`${method} ${path}`, 401]);
      }
    }
  });

  it('[AT-T08] attack: uses the gateways of the sandboxes without a capability', async () => {
    const one = await Team.open({ GATEWAY_SECRET: 'of-the-gateways'.padEnd(40, '1') });
    onTestFinished(() => one.close());
    const { value } = await one.member('Ada');
    for (const path of GATEWAYS)
      for (const method of ['GET', 'POST'])
        for (const bearer of ['', 'x', value, OWNER_TOKEN]) {
          const headers = bearer === '' ? {} : { authorization: `Bearer ${bearer}` };
          const answer = await one.ask({ method, path, headers });
          expect([
            `${method} ${path} ${bearer}`,
            [401, 403, 404, 405].includes(answer.status),
          ]).toEqual([`${method} ${path} ${bearer}`, true]);
          expectNothingRevealed(answer);
        }
  });

  it('[AT-T02] attack: is let in with something that only looks like a credential', async () => {
    const tries: Record<string, string>[] = [
      { authorization: 'Bearer' },
      { authorization: 'Bearer ' },
      { authorization: `Basic ${Buffer.from(`owner:${OWNER_TOKEN}`).toString('base64')}` },
      { authorization: `Bearer ${OWNER_TOKEN}7` },
      { authorization: `Bearer ${OWNER_TOKEN.slice(0, -1)}` },
      { authorization: `Bearer ${OWNER_TOKEN.toUpperCase()}` },
      { authorization: `Bearer ${ada.tokenId}` },
      { authorization: 'Bearer null' },
      { authorization: 'Bearer undefined' },
      { cookie: `ship_${team.plane.port}=${ada.value}` },
      { cookie: `ship_${team.plane.port}=${OWNER_TOKEN}` },
      { cookie: `ship_${team.plane.port}=${'A'.repeat(43)}` },
      { cookie: `__Host-ship=${'A'.repeat(43)}` },
      { 'x-api-key': OWNER_TOKEN },
      { 'x-forwarded-user': 'owner', 'x-remote-user': 'owner' },
      { 'cf-access-authenticated-user-email': 'owner@example.com' },
    ];
    for (const headers of tries) {
      const { status } = await team.ask({ path: '/api/tokens', headers });
      expect([JSON.stringify(headers), [401, 429].includes(status)]).toEqual([
        JSON.stringify(headers),
        true,
      ]);
    }
    for (const query of [`token=${ada.value}`, `access_token=${ada.value}`, 'mode=local'])
      expect((await team.ask({ path: `/api/tokens?${query}` })).status).toBe(401);
    // The token itself is valid.
    expect((await ada.api.call('GET', '/tokens')).status).toBe(200);
  });

  it('[AT-T03] attack: gets past the login by another spelling of the path or another method', async () => {
    const paths = [
      '/api//tokens',
      '//api/tokens',
      '/api/./tokens',
      '/x/../api/tokens',
      '/api/%74okens',
      '/%61pi/tokens',
      '/%2561pi/tokens',
      '/api%2ftokens',
      '/API/tokens',
      '/api/tokens/',
      '/api/tokens;x=1',
      '/api;x/tokens',
      '/api/tokens%00',
      '/api/tokens%20',
      '/api/tokens.json',
      '/api/tokens?/api/sign-in',
      '/api/sign-in/../tokens',
      '/api/sign-in/%2e%2e/tokens',
      '/api/health/../tokens',
      '/api/hooks/github/../../tokens',
      '/assets/../api/tokens',
      '/gateway/../api/tokens',
      '/gateway/models/../../api/tokens',
      `http://${team.host}/api/tokens`,
      `http://evil.example/api/tokens`,
    ];
    const methods = ['GET', 'HEAD', 'OPTIONS', 'PROPFIND', 'POST'];
    for (const path of paths)
      for (const method of methods) {
        const overrides = { 'x-http-method-override': 'GET', 'x-original-url': '/api/sign-in' };
        const answer = await team.ask({ method, path, headers: overrides });
        expectNothingRevealed(answer);
        // Other paths would serve the static web app, which this deployment lacks.
        expect([`${method} ${path}`, [200, 201, 204].includes(answer.status)]).toEqual([
          `${method} ${path}`,
          false,
        ]);
        expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      }
  });

  it('[AT-T04] attack: gets past the check of names with a forged Host or forwarding headers', async () => {
    const hosts = [
      `ship.localhost.:${team.plane.port}`,
      'evil.example',
      `evil.example:${team.plane.port}`,
      `ship.localhost.evil.example`,
      `ship.localhost@evil.example`,
      `evil.example#ship.localhost`,
      `ship-preview.localhost`,
      `3000-${'0'.repeat(26)}.ship.localhost`,
    ];
    const bearer = { authorization: `Bearer ${ada.value}` };
    for (const host of hosts) {
      const forged = { 'x-forwarded-host': team.host, forwarded: `host=${team.host}` };
      const answer = await team.ask({
        path: '/api/tokens',
        headers: { host, ...forged, ...bearer },
      });
      expect(answer.status).toBeGreaterThanOrEqual(300);
      expectNothingRevealed(answer);
    }
    // Conversely, forwarding headers do not affect a request to the right host, and the response does not repeat them.
    const forged = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
    const answer = await team.ask({ path: '/api/me', headers: { ...forged, ...bearer } });
    expect(answer.status).toBe(200);
    expect(JSON.stringify(answer)).not.toContain('evil.example');
  });
});
