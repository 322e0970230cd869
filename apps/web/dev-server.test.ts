import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, type Server, createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { devSignInLink, shipProblem, startDevServer } from './dev-server.ts';

function portOf(server: Pick<Server, 'address'> | null): number {
  const address = server?.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

let ship: Server;
let dev: Awaited<ReturnType<typeof startDevServer>>;
let shipOrigin: string;
let devPort: number;
/** Requests that Ship received. */
const arrived: IncomingMessage[] = [];

beforeAll(async () => {
  ship = createServer((received, response) => {
    arrived.push(received);
    response.setHeader('set-cookie', 'ship_1=secret; Path=/; HttpOnly; SameSite=Strict');
    response.end('{"code":"the-code"}');
  });
  ship.on('upgrade', (received, socket) => {
    arrived.push(received);
    socket.end(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    );
  });
  await once(ship.listen(0, '127.0.0.1'), 'listening');
  shipOrigin = `http://127.0.0.1:${portOf(ship)}`;
  dev = await startDevServer({ ship: shipOrigin, port: 0 });
  devPort = portOf(dev.httpServer);
});

afterAll(async () => {
  await dev.close();
  ship.close();
});

/** The origin and host of a request when it reaches Ship. */
async function arrives(path: string, headers: Record<string, string>) {
  const sent = request({ host: '127.0.0.1', port: devPort, path, headers }).end();
  await Promise.race([once(sent, 'response'), once(sent, 'upgrade')]);
  sent.destroy();
  const { origin, host } = arrived.at(-1)?.headers ?? {};
  return { origin, host };
}

const SOCKET = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

describe('the development server of the web app', () => {
  it('serves the page from Vite, without content from Ship', async () => {
    const page = await fetch(`http://127.0.0.1:${devPort}/sessions`, {
      headers: { accept: 'text/html' },
    });
    expect(await page.text()).toContain('/@vite/client');
    expect(page.headers.getSetCookie()).toEqual([]);
  });

  it('passes on the cookie of a sign-in through it', async () => {
    const answer = await fetch(`http://127.0.0.1:${devPort}/api/sign-in`, { method: 'POST' });
    expect(answer.headers.getSetCookie()).toEqual([expect.stringContaining('ship_1=secret')]);
  });

  it('creates a sign-in link to itself only with the token of the data folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ship-test-'));
    mkdirSync(join(folder, 'secrets'));
    writeFileSync(join(folder, 'secrets', 'local-token'), 'the-token');
    try {
      const link = await devSignInLink('http://localhost:5173/', shipOrigin, folder);
      expect(link).toBe('http://localhost:5173/#sign-in=the-code');
      expect(arrived.at(-1)?.headers.authorization).toBe('Bearer the-token');
      expect(await devSignInLink('http://x/', shipOrigin, `${folder}/no`)).toBeUndefined();
      expect(await devSignInLink('http://x/', 'http://127.0.0.1:1', folder)).toBeUndefined();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each([
    ['HTTP', {}],
    ['a socket', SOCKET],
  ])("forwards the API by %s with Ship's origin", async (_kind, headers) => {
    for (const name of ['localhost', '127.0.0.1', 'ship.localhost']) {
      const origin = `http://${name}:${devPort}`;
      expect(await arrives('/api/x', { ...headers, origin })).toEqual({
        origin: shipOrigin,
        host: new URL(shipOrigin).host,
      });
    }
  });

  it.each([
    ['HTTP', {}],
    ['a socket', SOCKET],
  ])(
    'forwards the origin of any other page by %s unchanged, so that Ship refuses it',
    async (_kind, headers) => {
      for (const origin of [
        'http://localhost:1',
        'https://evil.example',
        `http://evil.example:${devPort}`,
      ])
        expect(await arrives('/api/x', { ...headers, origin })).toMatchObject({ origin });
    },
  );

  it('refuses host names other than loopback', async () => {
    const sent = request({
      host: '127.0.0.1',
      port: devPort,
      headers: { host: 'evil.example' },
    }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(403);
    expect(response.headers['set-cookie']).toBeUndefined();
  });

  it('fails if its port is in use', async () => {
    await expect(startDevServer({ ship: shipOrigin, port: devPort })).rejects.toThrow('in use');
  });

  it('names the command to start if no Ship server runs', async () => {
    expect(await shipProblem('http://127.0.0.1:1')).toContain('npm start -- --no-open');
    expect(await shipProblem(shipOrigin)).toBeUndefined();
  });
});
