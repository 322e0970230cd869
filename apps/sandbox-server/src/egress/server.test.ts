import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import {
  connect,
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
} from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { connect as tlsConnect } from 'node:tls';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { ManualClock } from '../lifecycle/clock.ts';
import { systemDialer } from './dial.ts';
import { Ledger } from './ledger.ts';
import { parseRule, type Rule, type SandboxPolicy } from './policy.ts';
import { EgressServer } from './server.ts';

const open: SandboxPolicy = { allowOut: [], denyOut: [], internet: true };
const rules = (...texts: string[]): Rule[] => texts.flatMap((text) => parseRule(text) ?? []);

let folder = '';
let site: Server;
let echo: TcpServer;
let egress: EgressServer;
let ledger: Ledger;
const seen: { url: string; headers: IncomingMessage['headers'] }[] = [];
const dialled: string[] = [];
const resolved: string[] = [];

async function listen(server: Server | TcpServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ship-egress-'));
  site = createServer((request, response) => {
    seen.push({ url: request.url ?? '', headers: request.headers });
    request.resume();
    request.on('end', () => response.end(`served ${request.url}`));
  });
  echo = createTcpServer((socket) => socket.pipe(socket));
  const sitePort = await listen(site);
  const echoPort = await listen(echo);
  egress = new EgressServer({
    folder,
    gateways: {
      models: { address: `http://127.0.0.1:${sitePort}`, headers: { 'x-ship-secret': 's3' } },
    },
    maxConnectionsPerSandbox: 3,
    clock: new ManualClock(),
    owner: {
      allow: rules('allowed.test', 'cdn.test', 'rebind.test'),
      deny: [],
      allowPrivate: [],
      ports: new Set([80, 443]),
      hostAddresses: [],
    },
    resolve: async (host) => {
      resolved.push(host);
      return host === 'rebind.test' ? ['127.0.0.1'] : ['93.184.216.34'];
    },
    dial: (address, port) => {
      dialled.push(`${address}:${port}`);
      return systemDialer('127.0.0.1', port === 443 ? echoPort : sitePort);
    },
  });
});

afterAll(async () => {
  await egress.closeAll();
  site.close();
  echo.close();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  seen.length = 0;
  dialled.length = 0;
  resolved.length = 0;
  await egress.remove('ibox');
  ledger = new Ledger('ibox', () => undefined);
  await egress.open('ibox', ledger, open);
});

/** Sends the input on a new connection and returns all output until the other side closes or goes quiet. */
function talk(input: string | Buffer, quietMs = 300): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(egress.socketPath('ibox'));
    let text = '';
    const done = (): void => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(quietMs, done);
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('close', done);
    socket.on('error', done);
    socket.write(input);
  });
}

describe('egress', () => {
  it('forwards plain http to the checked address and counts it', async () => {
    const reply = await talk(
      'SHIP/1 egress\nGET http://allowed.test/x HTTP/1.1\r\nHost: other.test\r\nProxy-Authorization: Basic eA==\r\nConnection: close\r\n\r\n',
    );
    expect(reply).toContain('served /x');
    expect(dialled).toEqual(['93.184.216.34:80']);
    expect(seen[0]?.headers).toMatchObject({ host: 'allowed.test' });
    expect(seen[0]?.headers).not.toHaveProperty('proxy-authorization');
    expect(ledger.toFile().entries).toMatchObject([
      {
        host: 'allowed.test',
        port: 80,
        verdict: 'allow',
        rule: 'owner-allow',
        connections: 1,
        bytesIn: 9,
      },
    ]);
  });

  it('tunnels by CONNECT, including the bytes that came with it', async () => {
    const hello = await clientHello('allowed.test');
    const connectLine = 'SHIP/1 egress\nCONNECT allowed.test:443 HTTP/1.1\r\nHost: x\r\n\r\n';
    const reply = await talk(Buffer.concat([Buffer.from(connectLine), hello]));
    expect(reply).toBe(`HTTP/1.1 200 Connection established\r\n\r\n${hello.toString('latin1')}`);
    expect(ledger.toFile().entries).toMatchObject([
      { verdict: 'allow', connections: 1, bytesOut: hello.length, bytesIn: hello.length },
    ]);
  });

  it('records a tunnel whose client closed before sending anything as allowed', async () => {
    await talk('SHIP/1 egress\nCONNECT allowed.test:443 HTTP/1.1\r\n\r\n', 50);
    await expect
      .poll(() => ledger.toFile().entries)
      .toMatchObject([{ host: 'allowed.test', verdict: 'allow', bytesOut: 0 }]);
  });

  it.each([
    ['CONNECT refused.test:443', 403, 'not-listed'],
    ['CONNECT allowed.test:22', 403, 'port'],
    ['CONNECT allowed.test:80', 403, 'tunnel-port'],
    ['GET http://allowed.test:443/', 403, 'tls-only'],
    ['CONNECT rebind.test:443', 403, 'address'],
    ['CONNECT 127.0.0.1:443', 403, 'address'],
    ['CONNECT [::ffff:7f00:1]:443', 403, 'address'],
    ['CONNECT 2130706433:443', 400, 'malformed'],
    ['GET http://0x7f.1/', 400, 'malformed'],
    ['GET http://user:pass@allowed.test/', 400, 'malformed'],
    ['GET /etc/passwd', 400, 'malformed'],
  ])('%s is answered %i and recorded as %s', async (line, status, rule) => {
    const reply = await talk(
      `SHIP/1 egress\n${line} HTTP/1.1\r\nHost: allowed.test\r\nConnection: close\r\n\r\n`,
    );
    expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(dialled).toEqual([]);
    expect(ledger.toFile().entries).toMatchObject([{ verdict: 'deny', rule }]);
  });

  it('never resolves a refused name', async () => {
    await talk('SHIP/1 egress\nCONNECT stolen-data.attacker.test:443 HTTP/1.1\r\n\r\n');
    expect(resolved).toEqual([]);
  });

  it('closes open tunnels when the rules change', async () => {
    const socket = connect(egress.socketPath('ibox'));
    socket.write('SHIP/1 egress\nCONNECT allowed.test:443 HTTP/1.1\r\n\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    egress.setPolicy('ibox', { ...open, internet: false });
    await closed;
    expect(await talk('SHIP/1 egress\nCONNECT allowed.test:443 HTTP/1.1\r\n\r\n')).toContain(
      'sandbox-deny',
    );
  });

  it('refuses unknown services and too many connections', async () => {
    expect(await talk('SHIP/1 admin\nGET / HTTP/1.1\r\n\r\n')).toBe('');
    expect(await talk('x'.repeat(100))).toBe('');
    const idle = await Promise.all(
      [1, 2, 3].map(async () => {
        const socket = connect(egress.socketPath('ibox'));
        await new Promise((resolve) => socket.once('connect', resolve));
        return socket;
      }),
    );
    expect(await talk('SHIP/1 egress\n')).toContain('503');
    for (const socket of idle) socket.destroy();
  });
});

describe('gateways', () => {
  it('adds the prefix, the id and the secret, and drops forged headers', async () => {
    const reply = await talk(
      'SHIP/1 models\nPOST /v1/chat HTTP/1.1\r\nHost: evil.test\r\nX-Ship-Sandbox-Id: iother\r\nX-Ship-Secret: forged\r\nx-ship-admin: 1\r\nX-Keep: 1\r\nConnection: close, x-ship-sandbox-id\r\nContent-Length: 2\r\n\r\nhi',
    );
    expect(reply).toContain('served /gateway/models/v1/chat');
    expect(seen[0]?.headers).toMatchObject({
      'x-ship-sandbox-id': 'ibox',
      'x-ship-secret': 's3',
      'x-keep': '1',
    });
    expect(seen[0]?.headers).not.toHaveProperty('x-ship-admin');
    expect(seen[0]?.headers.host).toMatch(/^127\.0\.0\.1:/);
  });

  it.each([
    ['GET /../api HTTP/1.1\r\nHost: x', /^HTTP\/1.1 400 /],
    ['GET http://evil.test/ HTTP/1.1\r\nHost: x', /^HTTP\/1.1 400 /],
    [
      'GET /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked',
      /^(?!HTTP\/1.1 2)/,
    ],
    ['CONNECT 127.0.0.1:80 HTTP/1.1\r\nHost: x', /^$/],
  ])('%j does not reach the control plane', async (head, expected) => {
    const reply = await talk(`SHIP/1 models\n${head}\r\n\r\n`);
    expect(reply).toMatch(expected);
    expect(seen).toEqual([]);
  });

  it('reports a gateway that is not configured', async () => {
    expect(await talk('SHIP/1 git\nGET /x HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(
      /^HTTP\/1.1 503 [^]*No git gateway/,
    );
  });
});

async function clientHello(servername: string): Promise<Buffer> {
  return new Promise((resolve) => {
    const wire = new Duplex({ read: () => undefined, write: (chunk: Buffer) => resolve(chunk) });
    tlsConnect({ socket: wire, servername }).on('error', () => undefined);
  });
}

describe('TLS server names', () => {
  it('passes a matching name through the tunnel and closes a fronted one', async () => {
    for (const [name, passes] of [
      ['cdn.test', true],
      ['allowed.test', true],
      ['hidden.test', false],
    ] as const) {
      const hello = await clientHello(name);
      const socket = connect(egress.socketPath('ibox'));
      socket.on('error', () => undefined);
      socket.write('SHIP/1 egress\nCONNECT cdn.test:443 HTTP/1.1\r\n\r\n');
      await new Promise((resolve) => socket.once('data', resolve));
      const answer = new Promise<boolean>((resolve) => {
        // Either the echo of the hello, or an alert.
        socket.once('data', (chunk: Buffer) => resolve(chunk[0] === 22));
        socket.once('close', () => resolve(false));
      });
      socket.write(hello);
      expect([name, await answer]).toEqual([name, passes]);
      socket.destroy();
    }
    expect(ledger.toFile().entries).toContainEqual(
      expect.objectContaining({ host: 'cdn.test', serverName: 'hidden.test', verdict: 'deny' }),
    );
  });
});

describe('ledger', () => {
  it('is bounded per verdict and keeps the first names', () => {
    const book = new Ledger('ibox', () => undefined, undefined, 2);
    for (const host of ['a', 'b', 'c', 'd'])
      book.record({ host, port: 443, verdict: 'deny', rule: 'not-listed' }, 1);
    book.record({ host: 'good', port: 443, verdict: 'allow', rule: 'owner-allow' }, 2).out(7);
    const file = book.toFile();
    expect(file.entries.map((entry) => entry.host)).toEqual(['a', 'b', 'good']);
    expect(file.unnamed).toEqual({ allow: 0, deny: 2 });
    const again = new Ledger('ibox', () => undefined, file, 2);
    again.record({ host: 'a', port: 443, verdict: 'deny', rule: 'not-listed' }, 5);
    expect(again.toFile().entries[0]).toMatchObject({
      host: 'a',
      connections: 2,
      firstSeenMs: 1,
      lastSeenMs: 5,
    });
  });
});
