import { readFileSync } from 'node:fs';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { EditorView, PortList, PortTicket, type SessionId } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, openHarness } from './harness.ts';
import { until } from './harness/api.ts';

const DEV_SERVER = new URL('../../../scripts/testing/tiny-dev-server.cjs.txt', import.meta.url);
const PORT = 5173;

describe('a port of a sandbox in the browser', { timeout: 120_000 }, () => {
  let harness: Harness;
  let sessionId: SessionId;
  let sandboxId = '';
  let host = '';
  let cookie = '';

  beforeAll(async () => {
    // Block all downloads: whether the editor installs must not depend on where this test runs.
    harness = await openHarness({}, { egress: { onlyThese: true } });
    ({ sessionId } = await harness.api.create());
    const sandbox = await until(
      async () => (await harness.api.view(sessionId)).state.sandbox,
      ({ status }) => status === 'running',
    );
    sandboxId = 'sandboxId' in sandbox ? sandbox.sandboxId : '';
    const source = readFileSync(DEV_SERVER).toString('base64');
    await harness.sandboxes.run(
      sandboxId,
      `echo hello > page.txt; echo ${source} | base64 -d > dev.cjs; setsid node dev.cjs ${PORT} page.txt > dev.log 2>&1 &`,
    );
    cookie = await enter(PORT);
    host = `${PORT}-${sessionId.slice(4)}.ship-preview.localhost:${harness.plane.port}`;
  }, 120_000);
  afterAll(() => harness.close(), 60_000);

  const ports = async () =>
    PortList.parse(await harness.api.ask('GET', `/sessions/${sessionId}/ports`)).ports;

  /** A browser on this machine resolves the name; Node does not. */
  function open(
    path: string,
    headers: Record<string, string> = {},
    { name = host, method = 'GET', body = '' } = {},
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const sent = { host: name, ...(cookie !== '' && { cookie }), ...headers };
      const outgoing = httpRequest(
        `${harness.plane.url}${path}`,
        { method, headers: sent },
        resolve,
      );
      outgoing.on('error', reject);
      outgoing.on('upgrade', (answer, socket) => {
        socket.on('error', () => undefined);
        resolve(answer);
      });
      outgoing.end(body);
    });
  }

  async function enter(port: number): Promise<string> {
    const path = `/sessions/${sessionId}/ports/${port}/ticket`;
    const { url } = PortTicket.parse(await harness.api.ask('POST', path, {}));
    const { pathname, search, hostname } = new URL(url);
    const name = `${hostname}:${harness.plane.port}`;
    const answer = await open(`${pathname}${search}`, {}, { name });
    return answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  }

  const echo = async (headers: Record<string, string> = {}, body = '') => {
    const method = body === '' ? 'GET' : 'POST';
    const answer = await open('/echo?a=1', headers, { method, body });
    return JSON.parse(await text(answer)) as {
      url: string;
      method: string;
      bytes: number;
      headers: Record<string, string>;
    };
  };

  it('[PX1] a port that a program opens is listed within moments, and no port of Ship', async () => {
    expect(await until(ports, (seen) => seen.includes(PORT))).toEqual([PORT]);
  });

  it('[PX10] requests and responses pass unchanged, with the host name that the browser uses', async () => {
    const big = 'x'.repeat(300_000);
    const origin = `http://${host}`;
    const seen = await echo({ origin, 'content-type': 'text/plain' }, big);
    expect(seen).toMatchObject({ method: 'POST', url: '/echo?a=1', bytes: big.length });
    expect(seen.headers).toMatchObject({ host, origin, 'x-forwarded-host': host });
    const packed = await open('/gzip', { 'accept-encoding': 'gzip' });
    const chunks: Buffer[] = [];
    for await (const chunk of packed) chunks.push(chunk as Buffer);
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(Buffer.concat(chunks)).toString()).toBe('packed');
    const redirect = await open('/redirect');
    expect(redirect.headers.location).toBe(`http://${host}/echo`);
    expect((await open('/nowhere')).statusCode).toBe(404);
  });

  it('[PX10] a response streams as it is written', async () => {
    const stream = await open('/stream');
    const parts: string[] = [];
    for await (const chunk of stream.setEncoding('utf8')) {
      parts.push(chunk as string);
      if (parts.length === 1) await text(await open('/go'));
    }
    expect(parts.join('')).toBe('one\ntwo\n');
    expect(parts[0]).toBe('one\n');
  });

  it('[PX8] the sandbox sees no cookie of Ship, and its own cookies reach it', async () => {
    const { headers } = await echo({ cookie: `${cookie}; theme=dark; ship_4400=page` });
    expect(headers['cookie']).toBe('theme=dark');
    expect(JSON.stringify(await echo())).not.toContain(cookie.split('=')[1]);
    const set = await open('/cookie');
    expect(set.headers['set-cookie']).toEqual(['app=1; SameSite=None; Secure; Partitioned']);
  });

  it('[PX8] a header cannot lead to another port of the sandbox', async () => {
    const seen = await echo({ 'e2b-sandbox-port': '49983', 'e2b-sandbox-id': 'other' });
    expect(seen.url).toBe('/echo?a=1');
    expect(Object.keys(seen.headers).filter((name) => name.startsWith('e2b'))).toEqual([]);
  });

  it('[PX7] only the web app may frame it', async () => {
    const page = await open('/');
    expect(page.headers['content-security-policy']).toBe(
      ['ship.localhost', 'localhost', '127.0.0.1'].reduce(
        (policy, name) => `${policy} http://${name}:${harness.plane.port}`,
        "frame-ancestors 'self'",
      ),
    );
    expect(page.headers['x-frame-options']).toBeUndefined();
  });

  it('[PX6] a socket opens for the port’s own page and for no other', async () => {
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': Buffer.alloc(16, 1).toString('base64'),
      'sec-websocket-protocol': 'tiny-hmr',
    };
    const own = await open('/hmr', { ...upgrade, origin: `http://${host}` });
    expect([own.statusCode, own.headers['sec-websocket-protocol']]).toEqual([101, 'tiny-hmr']);
    own.socket.destroy();
    expect((await open('/hmr', upgrade)).statusCode).toBe(403);
    const page = `http://ship.localhost:${harness.plane.port}`;
    expect((await open('/hmr', { ...upgrade, origin: page })).statusCode).toBe(403);
  });

  it('[PX9] a port without a listener shows a page that retries automatically', async () => {
    const name = host.replace(String(PORT), '3999');
    const headers = { cookie: await enter(3999), accept: 'text/html' };
    const answer = await open('/', headers, { name });
    expect(answer.statusCode).toBe(502);
    const page = await text(answer);
    expect(page).toContain('Nothing listens on port 3999 yet');
    expect(page).toContain('http-equiv="refresh"');
  });

  const editor = async (method: 'GET' | 'POST') =>
    EditorView.parse(await harness.api.ask(method, `/sessions/${sessionId}/editor`));
  const untilEditor = (state: EditorView['state']) =>
    until(
      () => editor('GET'),
      (view) => view.state === state,
    );

  it('[ED2] an editor that cannot be downloaded says why and what to do, and can be tried again', async () => {
    expect(await editor('GET')).toEqual({ state: 'off' });
    expect((await editor('POST')).state).toBe('preparing');
    const failed = await untilEditor('failed');
    expect(failed).toMatchObject({ error: { code: 'unreachable' } });
    expect(JSON.stringify(failed)).toContain('Allow registry.npmjs.org');
    expect((await editor('POST')).state).toBe('preparing');
    await untilEditor('failed');
  });

  it('[ED1] an editor of the template starts once, is reachable on its port, and starts again after it ended', async () => {
    const stand = `require('http').createServer((q, r) => r.end(process.argv.join(' '))).listen(13337, '127.0.0.1')`;
    await harness.sandboxes.run(
      sandboxId,
      `sudo mkdir -p /opt/code-server/out/node && echo "${stand}" | sudo tee /opt/code-server/out/node/entry.js`,
    );
    await Promise.all([editor('POST'), editor('POST')]);
    expect(await untilEditor('ready')).toEqual({
      state: 'ready',
      port: 13_337,
      folder: '/home/user',
      host: host.replace(String(PORT), '13337'),
    });
    const name = host.replace(String(PORT), '13337');
    const page = await open('/', { cookie: await enter(13_337) }, { name });
    expect(await text(page)).toContain('--bind-addr 127.0.0.1:13337 --auth none');
    expect(await ports()).not.toContain(13_337);
    await harness.sandboxes.run(sandboxId, 'pkill -f code-server/[o]ut');
    await untilEditor('off');
    await editor('POST');
    await untilEditor('ready');
  });

  it('[PX9] the page says that the sandbox sleeps, does not wake it, and continues after it is woken', async () => {
    await harness.api.ask('POST', `/sessions/${sessionId}/sandbox/pause`, {});
    const answer = await open('/', { accept: 'text/html' });
    expect(answer.statusCode).toBe(503);
    expect(await text(answer)).toContain('The sandbox is asleep.');
    expect(await ports()).toEqual([]);
    expect((await harness.api.view(sessionId)).state.sandbox.status).toBe('frozen');
    await harness.api.ask('POST', `/sessions/${sessionId}/sandbox/resume`, {});
    expect((await open('/')).statusCode).toBe(200);
  });

  it('[PX9] a sandbox that was killed from outside is detected as lost', async () => {
    await harness.sandboxes.kill(sandboxId);
    const answer = await open('/', { accept: 'text/html' });
    expect(answer.statusCode).toBe(503);
    const { status } = await until(
      async () => (await harness.api.view(sessionId)).state.sandbox,
      (sandbox) => sandbox.status !== 'running',
    );
    expect(['lost', 'none', 'starting']).toContain(status);
  });
});
