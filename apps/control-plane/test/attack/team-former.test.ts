/** A member whose token is revoked, or who signs out, with open connections: real workerd, sandbox server and sandbox. */
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { PortTicket, SignInLink, type SessionId } from '@ship/protocol';
import { type SandboxServer, startSandboxServer } from '@ship/sandbox-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { preparedDataFolder } from '../../../../scripts/testing/prepared-data.ts';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';
import { SANDBOX_KEY, SandboxAdmin } from '../harness.ts';
import { until } from '../harness/api.ts';
import { HANDSHAKE, type RawAnswer, ended } from '../harness/raw-http.ts';
import { type Member, Team, cookieIn } from '../harness/team.ts';

const MINUTE_MS = 60_000;
const PORT = 6700;

/** Responds to requests, and keeps every socket open as long as the client does. */
const PROGRAM = `const server = require('node:http').createServer((q, a) => a.end('inside'));
const hash = (key) => require('node:crypto').createHash('sha1')
  .update(key + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
server.on('upgrade', (request, socket) => {
  socket.on('error', () => undefined);
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n' +
    'Sec-WebSocket-Accept: ' + hash(request.headers['sec-websocket-key']) + '\\r\\n\\r\\n');
});
server.listen(${PORT});`;

function socketOf({ status, socket }: RawAnswer): Socket {
  expect(status).toBe(101);
  if (socket === undefined) throw new Error('no socket');
  return socket;
}

describe('a member who has left', { timeout: 3 * MINUTE_MS }, () => {
  let folder: string;
  let server: SandboxServer;
  let team: Team;
  let sessionId: SessionId;
  beforeAll(async () => {
    folder = await preparedDataFolder();
    server = await startSandboxServer({ apiKey: SANDBOX_KEY, dataDir: join(folder, 'sandboxes') });
    const { apiUrl, sandboxUrl } = server;
    const service = { E2B_API_URL: apiUrl, E2B_SANDBOX_URL: sandboxUrl, E2B_API_KEY: SANDBOX_KEY };
    team = await Team.open(service, folder);
    ({ sessionId } = await team.owner.create());
    const sandbox = await until(
      async () => (await team.owner.view(sessionId)).state.sandbox,
      ({ status }) => status === 'running',
    );
    const source = Buffer.from(PROGRAM).toString('base64');
    await new SandboxAdmin(server).run(
      'sandboxId' in sandbox ? sandbox.sandboxId : '',
      `echo ${source} | base64 -d > server.cjs; setsid node server.cjs > server.log 2>&1 &
       until curl -s localhost:${PORT}; do sleep 0.1; done`,
    );
  }, 3 * MINUTE_MS);
  afterAll(async () => {
    await team.close();
    await server.close('stop');
    removeFolder(folder);
  }, MINUTE_MS);

  const portHost = (port = PORT) =>
    `${port}-${sessionId.slice(4)}.ship-preview.localhost:${team.plane.port}`;
  const path = (rest: string) => `/api/sessions/${sessionId}/${rest}`;

  const ticketOf = async ({ value }: Member, port = PORT, session: string = sessionId) => {
    const answer = await team.ask({
      method: 'POST',
      path: `/api/sessions/${session}/ports/${port}/ticket`,
      headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
      body: '{}',
    });
    const { pathname, search } = new URL(PortTicket.parse(JSON.parse(answer.text)).url);
    return `${pathname}${search}`;
  };
  const redeem = (ticket: string, host = portHost()) =>
    team.ask({ path: ticket, headers: { host } });
  const preview = (cookie: string, more: Record<string, string> = {}) =>
    team.ask({ path: '/', headers: { host: portHost(), cookie, ...more } });

  const open = async (at: string, headers: Record<string, string>) =>
    socketOf(await team.ask({ path: at, headers: { ...HANDSHAKE, ...headers } }));
  const openAll = async (known: Record<string, string>, pass: string) => {
    const origin = `http://${portHost()}`;
    return {
      live: await open('/api/live', known),
      watch: await open(path('socket'), known),
      terminal: await open(path('terminals/attack'), known),
      preview: await open('/', { host: portHost(), origin, cookie: pass }),
    };
  };

  /** Takes a moment: the check of a member is cached for the many requests of a page. */
  const previewEnds = (pass: string) =>
    until(
      () => preview(pass),
      ({ status }) => status === 401,
    );
  const allEnd = async (sockets: Record<string, Socket>) => {
    const left = new Set(Object.keys(sockets));
    for (const [name, socket] of Object.entries(sockets))
      void ended(socket).then(() => left.delete(name));
    await expect.poll(() => [...left], { timeout: MINUTE_MS, interval: 200 }).toEqual([]);
  };

  it('[AT-T20] attack: keeps using a revoked token, and the cookies, links and tickets that it created', async () => {
    const bob = await team.member('Bob');
    const cookie = await team.cookieOf(bob.value);
    const { code } = SignInLink.parse(await bob.api.ask('POST', '/sign-in/links'));
    const ticket = await ticketOf(bob);
    const pass = cookieIn(await redeem(await ticketOf(bob)));
    expect((await preview(pass)).text).toBe('inside');
    await team.revoke(bob);
    expect((await bob.api.call('GET', '/me')).status).toBe(401);
    expect((await team.ask({ path: '/api/me', headers: { cookie } })).status).toBe(401);
    expect((await team.signIn({ code })).status).toBe(401);
    expect((await team.signIn({ token: bob.value })).status).toBe(401);
    expect((await redeem(ticket)).status).toBe(403);
    await previewEnds(pass);
  });

  it('[AT-T21] attack: keeps watching, typing and previewing through connections from before the token was revoked', async () => {
    const bob = await team.member('Bob');
    const pass = cookieIn(await redeem(await ticketOf(bob)));
    const sockets = await openAll({ authorization: `Bearer ${bob.value}` }, pass);
    const stream = await fetch(`${team.plane.url}${path('events')}`, {
      headers: { authorization: `Bearer ${bob.value}` },
    });
    await team.revoke(bob);
    await allEnd(sockets);
    // Resolves only if the server ends the stream.
    await stream.text().catch(() => undefined);
  });

  it('[AT-T22] attack: a copy of a cookie keeps its sockets when the member signs out', async () => {
    const bob = await team.member('Bob');
    const cookie = await team.cookieOf(bob.value);
    const headers = { ...team.ownPage(cookie), 'content-type': 'application/json' };
    const made = await team.ask({
      method: 'POST',
      path: path(`ports/${PORT}/ticket`),
      headers,
      body: '{}',
    });
    const { pathname, search } = new URL(PortTicket.parse(JSON.parse(made.text)).url);
    const pass = cookieIn(await redeem(`${pathname}${search}`));
    const sockets = await openAll(team.ownPage(cookie), pass);
    const out = await team.ask({ method: 'POST', path: '/api/sign-out', headers });
    expect(out.status).toBe(204);
    await previewEnds(pass);
    await allEnd(sockets);
    // The token itself stays valid.
    expect((await bob.api.call('GET', '/me')).status).toBe(200);
  });

  it('[AT-T23] attack: a ticket opens another port, another session, or a second browser', async () => {
    const bob = await team.member('Bob');
    const other = await team.owner.create();
    const otherHost = `${PORT}-${other.sessionId.slice(4)}.ship-preview.localhost:${team.plane.port}`;
    expect((await redeem(await ticketOf(bob), portHost(PORT + 1))).status).toBe(403);
    expect((await redeem(await ticketOf(bob), otherHost)).status).toBe(403);
    const ticket = await ticketOf(bob);
    const pass = cookieIn(await redeem(ticket));
    expect((await redeem(ticket)).status).toBe(403);
    for (const host of [otherHost, portHost(PORT + 1)])
      expect((await team.ask({ path: '/', headers: { host, cookie: pass } })).status).toBe(401);
    // A preview pass is not a sign-in cookie, nor the other way round.
    const value = pass.split('=')[1] ?? '';
    const asLogin = { cookie: `ship_${team.plane.port}=${value}` };
    expect((await team.ask({ path: '/api/me', headers: asLogin })).status).toBe(401);
    const login = (await team.cookieOf(bob.value)).split('=')[1] ?? '';
    expect((await preview(`ship_port_${team.plane.port}=${login}`)).status).toBe(401);
    // A preview host serves no API, with any credential.
    const headers = { host: portHost(), authorization: `Bearer ${bob.value}` };
    expect((await team.ask({ path: '/api/tokens', headers })).status).toBe(401);
  });

  it('[AT-T24] attack: a member reads tokens, secrets or cookies of others from the API', async () => {
    const [bob, eve] = [await team.member('Bob'), await team.member('Eve')];
    const cookie = (await team.cookieOf(bob.value)).split('=')[1] ?? '';
    await bob.api.ask('PUT', '/secrets/STAGING_KEY', { value: 'a-value-that-is-secret' });
    for (const at of [
      '/tokens',
      '/secrets',
      '/settings',
      '/forges',
      '/models',
      '/health',
      '/stats',
      '/me',
    ])
      for (const secret of [bob.value, cookie, 'a-value-that-is-secret', team.plane.url]) {
        const { text } = await eve.api.call('GET', at);
        expect(text).not.toContain(secret);
        expect(text).not.toMatch(/"hash"|[0-9a-f]{64}/);
      }
  });
});
