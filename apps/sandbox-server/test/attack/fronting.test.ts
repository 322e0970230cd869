/**
 * Domain fronting: code inside may connect to one site of a CDN and requests another from it. The CDN here is one address
 * for all names, with a TLS and a plain port, and records what reaches it. Nothing leaves the loopback.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { Sandbox } from 'e2b';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { preparedDataFolder } from '../../../../scripts/testing/prepared-data.ts';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';
import { systemDialer } from '../../src/egress/dial.ts';
import { startSandboxServer, type SandboxServer } from '../../src/index.ts';
import { extension, helloMessage, record, records, serverName } from './client-hello.ts';

const API_KEY = 'fronting-key';
/** A user's first start builds the template. */
const START_TIMEOUT_MS = 180_000;
const CDN = '93.184.216.34';
const ENCRYPTED_CLIENT_HELLO = 0xfe0d;

/** The traffic that reached the CDN: requested sites, and every byte. */
const sites: string[] = [];
let bytes = Buffer.alloc(0);

let folder = '';
let server: SandboxServer;
let sandbox: Sandbox;
const listeners: Server[] = [];

async function listen(listener: Server): Promise<number> {
  listeners.push(listener);
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return (listener.address() as AddressInfo).port;
}

/** A listener that records every byte on its way to another port. */
const recording = (port: number): Server =>
  createServer((socket) => {
    const onward = connect(port, '127.0.0.1');
    for (const end of [socket, onward]) end.on('error', () => undefined);
    socket.on('data', (chunk) => (bytes = Buffer.concat([bytes, chunk])));
    socket.pipe(onward).pipe(socket);
  });

function certificate(): { key: Buffer; cert: Buffer } {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const files = ['-subj', '/CN=cdn.test', '-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', '-x509', ...made, ...files], { stdio: 'ignore' });
  return { key: readFileSync(key), cert: readFileSync(cert) };
}

beforeAll(async () => {
  folder = await preparedDataFolder();
  const secure = createHttps(certificate(), (request, response) => {
    sites.push(`${(request.socket as TLSSocket).servername || '-'} ${request.headers.host}`);
    response.end(`tls for ${request.headers.host}`);
  });
  const plain = createHttp((request, response) => {
    sites.push(`- ${request.headers.host}`);
    response.end(`plain for ${request.headers.host}`);
  });
  const securePort = await listen(recording(await listen(secure)));
  const plainPort = await listen(recording(await listen(plain)));
  server = await startSandboxServer({
    apiKey: API_KEY,
    dataDir: join(folder, 'sandboxes'),
    egress: { onlyThese: true, allow: ['allowed.test', 'second.test', '198.51.100.0/24'] },
    resolve: async () => [CDN],
    dial: (_address, port) => systemDialer('127.0.0.1', port === 443 ? securePort : plainPort),
  });
  const { apiUrl, sandboxUrl } = server;
  sandbox = await Sandbox.create('base', { apiKey: API_KEY, apiUrl, sandboxUrl });
}, START_TIMEOUT_MS);
afterAll(async () => {
  await server.close('stop');
  for (const listener of listeners) listener.close();
  removeFolder(folder);
});
beforeEach(() => {
  sites.length = 0;
  bytes = Buffer.alloc(0);
});

/** Runs Python inside; `tunnel(authority)` is a socket behind CONNECT. Returns its output. */
async function inside(script: string): Promise<string> {
  const prelude = `
import base64, socket, ssl
def proxy():
    s = socket.create_connection(('127.0.0.1', 3128)); s.settimeout(9)
    return s
def rest(s):
    got = b''
    try:
        while chunk := s.recv(65536): got += chunk
    except OSError: pass
    return got.decode('latin1')
def tunnel(authority):
    s = proxy(); s.sendall(f'CONNECT {authority} HTTP/1.1\\r\\n\\r\\n'.encode())
    head = b''
    while not head.endswith(b'\\r\\n\\r\\n') and (one := s.recv(1)): head += one
    print(head.split(b'\\r\\n')[0].decode())
    return s
def ask(s, name, host):
    context = ssl.create_default_context(); context.check_hostname = False; context.verify_mode = ssl.CERT_NONE
    s = context.wrap_socket(s, server_hostname=name)
    s.sendall(f'GET / HTTP/1.1\\r\\nHost: {host}\\r\\nConnection: close\\r\\n\\r\\n'.encode())
    print(rest(s))
`;
  const encoded = Buffer.from(prelude + script).toString('base64');
  const command = `echo ${encoded} | base64 -d | python3 - 2>&1 || true`;
  return (await sandbox.commands.run(command)).stdout;
}

/** Sends these bytes through a tunnel to allowed.test:443, and waits until the proxy or the CDN closes it. */
const send = (data: Buffer): Promise<string> =>
  inside(`
s = tunnel('allowed.test:443'); s.sendall(base64.b64decode('${data.toString('base64')}'))
s.shutdown(socket.SHUT_WR); print(rest(s))`);

async function ledger(): Promise<Record<string, unknown>[]> {
  const answer = await fetch(`${server.apiUrl}/ship/sandboxes/${sandbox.sandboxId}/ledger`, {
    headers: { 'x-api-key': API_KEY },
  });
  return ((await answer.json()) as { entries: Record<string, unknown>[] }).entries;
}

describe('domain fronting', () => {
  it('[NW6] https to an allowed host works, under any allowed name of the same CDN', async () => {
    const curl = await sandbox.commands.run('curl -ksS -m 9 https://allowed.test/');
    expect(curl.stdout).toBe('tls for allowed.test');
    expect(await inside("ask(tunnel('allowed.test:443'), 'second.test', 'second.test')")).toContain(
      'tls for second.test',
    );
    expect(sites).toEqual(['allowed.test allowed.test', 'second.test second.test']);
    const entries = await ledger();
    expect(entries).toMatchObject([
      { host: 'allowed.test', verdict: 'allow', connections: 1 },
      { host: 'allowed.test', serverName: 'second.test', verdict: 'allow', connections: 1 },
    ]);
    expect(entries[0]).not.toHaveProperty('serverName');
    expect(entries[1]?.['bytesIn']).toBeGreaterThan(100);
  });

  it('[AT-M2A] attack: asks a CDN for any other site through a plain tunnel to port 80', async () => {
    const output = await inside(`
s = tunnel('allowed.test:80')
s.sendall(b'GET / HTTP/1.1\\r\\nHost: hidden.test\\r\\nConnection: close\\r\\n\\r\\n'); print(rest(s))`);
    expect(sites).toEqual([]);
    expect(bytes.length).toBe(0);
    expect(output).toContain('403');
  });

  it('[AT-M2B] attack: speaks another protocol through an allowed host’s port 443', async () => {
    await send(Buffer.from('SSH-2.0-x\r\nall that was stolen'));
    await inside(`
s = proxy()
s.sendall(b'POST http://allowed.test:443/ HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 6\\r\\nConnection: close\\r\\n\\r\\nstolen')
print(rest(s))`);
    expect(bytes.toString('latin1')).not.toContain('stolen');
    expect(bytes.length).toBe(0);
    expect(await ledger()).toContainEqual(
      expect.objectContaining({ host: 'allowed.test', verdict: 'deny', rule: 'tls-only' }),
    );
  });

  it('[AT-M2C] attack: names no server in TLS and asks for a hidden site', async () => {
    await inside("ask(tunnel('allowed.test:443'), None, 'hidden.test')");
    expect(sites).toEqual([]);
    expect(bytes.length).toBe(0);
  });

  it('[AT-M2D] attack: names a hidden site in TLS; the ledger has both names', async () => {
    await inside("ask(tunnel('allowed.test:443'), 'hidden.test', 'hidden.test')");
    expect(sites).toEqual([]);
    expect(bytes.length).toBe(0);
    expect(await ledger()).toContainEqual(
      expect.objectContaining({
        host: 'allowed.test',
        serverName: 'hidden.test',
        verdict: 'deny',
      }),
    );
  });

  const named = serverName('allowed.test');
  const sneaky: [string, Buffer][] = [
    ['cut into many records', records(helloMessage(serverName('hidden.test')), 20)],
    ['two names', record(helloMessage(serverName('allowed.test', 'hidden.test')))],
    ['two name extensions', record(helloMessage(named, serverName('hidden.test')))],
    [
      'an encrypted name beside the allowed one',
      record(helloMessage(named, extension(ENCRYPTED_CLIENT_HELLO, Buffer.from('hidden.test')))),
    ],
    [
      'a second message behind the first',
      record(Buffer.concat([helloMessage(named), helloMessage(serverName('hidden.test'))])),
    ],
    [
      'a second hello after a retry request',
      Buffer.concat([
        record(helloMessage(named)),
        record(Buffer.from([1]), 20),
        record(helloMessage(serverName('hidden.test'))),
      ]),
    ],
    [
      'a second hello behind early data',
      Buffer.concat([
        record(helloMessage(named, extension(42, Buffer.alloc(0)))),
        record(Buffer.alloc(500), 23),
        records(helloMessage(serverName('hidden.test')), 7),
      ]),
    ],
  ];
  it('[AT-M2E] attack: hides the name of the site in an unusual hello', async () => {
    for (const [how, data] of sneaky) {
      bytes = Buffer.alloc(0);
      await send(data);
      // The name may be split into pieces of seven bytes: search for its end, too.
      const seen = bytes.toString('latin1');
      expect(`${how}: ${seen.includes('hidden') || seen.includes('en.test')}`).toBe(
        `${how}: false`,
      );
    }
  });

  it('[AT-M2F] attack: rides a second request to another site on an allowed plain one', async () => {
    const first = 'GET http://allowed.test/ HTTP/1.1\\r\\nHost: hidden.test\\r\\n';
    const second = 'GET / HTTP/1.1\\r\\nHost: hidden.test\\r\\nConnection: close\\r\\n\\r\\n';
    for (const data of [
      `${first}\\r\\n${second}`,
      `${first}Content-Length: 0\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n${second}`,
      `${first}Content-Length: 4\\r\\nContent-Length: 0\\r\\n\\r\\n${second}`,
      `${first}Transfer-Encoding: xchunked\\r\\n\\r\\n0\\r\\n\\r\\n${second}`,
      `${first}Upgrade: websocket\\r\\nConnection: upgrade\\r\\n\\r\\n${second}`,
      `${first}Connection: host\\r\\n\\r\\n${second}`,
    ])
      await inside(
        `s = proxy(); s.sendall(b'${data}'); s.shutdown(socket.SHUT_WR); print(rest(s))`,
      );
    expect(sites.filter((site) => site !== '- allowed.test')).toEqual([]);
    expect(sites.length).toBeGreaterThan(0);
    expect(bytes.toString('latin1')).not.toContain('hidden');
  });
});
