import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import { connect, createServer as createTcpServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { makeAuthority } from '../../test/company-network/authority.ts';
import { trustedAuthorities } from '../certificates/authorities.ts';
import { connectThrough, dialProxy } from './dial-upstream.ts';
import { parseProxyUrl, upstreamProxies, type ProxyEndpoint } from './upstream-proxy.ts';

describe('NO_PROXY', () => {
  const proxies = upstreamProxies({
    noProxy: 'localhost, .corp.test,*.lab.test exact.test:8443 10.0.0.0/8,fd00::/8',
  });
  it.each([
    ['localhost', 443, undefined, true],
    ['npm.corp.test', 443, undefined, true],
    ['corp.test', 443, undefined, true],
    ['notcorp.test', 443, undefined, false],
    ['a.b.lab.test', 443, undefined, true],
    ['exact.test', 8443, undefined, true],
    ['exact.test', 443, undefined, false],
    ['10.1.2.3', 443, undefined, true],
    ['other.test', 443, '10.1.2.3', true],
    ['other.test', 443, 'fd00::1', true],
    ['other.test', 443, '93.184.1.1', false],
  ])('%s:%i at %s is direct: %s', (host, port, address, direct) => {
    expect(proxies.isDirect(host, port, address)).toBe(direct);
  });

  it('can be everything', () => {
    expect(upstreamProxies({ noProxy: '*' }).isDirect('any.test', 443)).toBe(true);
    expect(upstreamProxies({}).isDirect('any.test', 443)).toBe(false);
  });
});

describe('the address of a proxy', () => {
  it('is a URL, with or without credentials', () => {
    expect(parseProxyUrl('http://proxy.test:3128')).toEqual({
      isSecure: false,
      host: 'proxy.test',
      port: 3128,
      authorization: undefined,
    });
    expect(parseProxyUrl('proxy.test:8080')).toMatchObject({ host: 'proxy.test', port: 8080 });
    expect(parseProxyUrl('https://[::1]')).toMatchObject({
      isSecure: true,
      host: '::1',
      port: 443,
    });
    expect(parseProxyUrl('http://me:p%40ss@proxy.test')?.authorization).toBe(
      `Basic ${Buffer.from('me:p@ss').toString('base64')}`,
    );
    expect(parseProxyUrl('http://me:100%@proxy.test')?.authorization).toBe(
      `Basic ${Buffer.from('me:100%').toString('base64')}`,
    );
  });

  it.each(['socks5://proxy.test:1080', 'ftp://proxy.test', 'http://', '://'])('is not %s', (text) =>
    expect(parseProxyUrl(text)).toBeUndefined(),
  );
});

describe('a tunnel through the proxy', () => {
  let proxy: Server;
  let endpoint: ProxyEndpoint;
  const asked: { url: string | undefined; authorization: string | undefined }[] = [];
  let answer: 'tunnel' | 'refuse' = 'tunnel';
  const echo = createTcpServer((socket) => socket.pipe(socket));

  beforeAll(async () => {
    proxy = createServer();
    proxy.on('connect', (request, socket) => {
      asked.push({ url: request.url, authorization: request.headers['proxy-authorization'] });
      if (answer === 'refuse') {
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
        return;
      }
      const upstream = connect((echo.address() as AddressInfo).port, '127.0.0.1', () => {
        // The server's first bytes come in one packet with the response.
        socket.write('HTTP/1.1 200 OK\r\n\r\nearly ');
        upstream.pipe(socket);
        socket.pipe(upstream);
      });
    });
    await new Promise<void>((done) => echo.listen(0, '127.0.0.1', done));
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
    const { port } = proxy.address() as AddressInfo;
    endpoint = {
      isSecure: false,
      host: '127.0.0.1',
      port,
      authorization: 'Basic bWU6cGFzcw==',
      authorities: trustedAuthorities([]),
    };
  });
  afterAll(() => {
    proxy.closeAllConnections();
    proxy.close();
    echo.close();
  });
  beforeEach(() => {
    asked.length = 0;
    answer = 'tunnel';
  });

  it('carries both directions, from the first byte on', async () => {
    const socket = await connectThrough(endpoint, 'npm.corp.test', 443);
    let text = '';
    const whole = new Promise<void>((done) => {
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (text === 'early hello') done();
      });
    });
    socket.write('hello');
    await whole;
    socket.destroy();
    expect(asked).toEqual([{ url: 'npm.corp.test:443', authorization: 'Basic bWU6cGFzcw==' }]);
  });

  it('puts an IPv6 address in brackets', async () => {
    (await connectThrough(endpoint, '2606:4700::1', 443)).destroy();
    expect(asked[0]?.url).toBe('[2606:4700::1]:443');
  });

  it('reports the proxy’s refusal without revealing the proxy', async () => {
    answer = 'refuse';
    const refused = await connectThrough(endpoint, 'npm.corp.test', 443).catch(
      (error: unknown) => error,
    );
    expect(String(refused)).toBe('Error: the upstream proxy answered 407');
  });

  it('fails where no proxy listens', async () => {
    const gone = createTcpServer();
    await new Promise<void>((done) => gone.listen(0, '127.0.0.1', done));
    const { port } = gone.address() as AddressInfo;
    await new Promise((done) => gone.close(done));
    await expect(connectThrough({ ...endpoint, port }, 'npm.corp.test', 443)).rejects.toThrow(
      'ECONNREFUSED',
    );
  });
});

describe('a proxy at an https:// address, with a certificate of a company’s authority', () => {
  let folder = '';
  let proxy: SecureServer;
  const asked: (string | undefined)[] = [];
  const at = (file: string): string => join(folder, file);
  const endpointFor = (host: string, given: string[]): ProxyEndpoint => {
    const { port } = proxy.address() as AddressInfo;
    const { https } = upstreamProxies(
      { https: `https://me:pass@${host}:${port}` },
      trustedAuthorities(given),
    );
    if (https === undefined) throw new Error('no proxy');
    return https;
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ship-proxy-'));
    makeAuthority(folder, 'localhost');
    const pair = { cert: readFileSync(at('server.crt')), key: readFileSync(at('server.key')) };
    proxy = createSecureServer(pair, (request, response) => {
      asked.push(`${request.url} ${request.headers['proxy-authorization']}`);
      response.end('forwarded');
    });
    proxy.on('connect', (request, socket) => {
      asked.push(`${request.url} ${request.headers['proxy-authorization']}`);
      socket.end('HTTP/1.1 200 OK\r\n\r\nthrough the tunnel');
    });
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  });
  afterAll(() => {
    proxy.closeAllConnections();
    proxy.close();
    rmSync(folder, { recursive: true });
  });

  it('[NW12] is used when its authority is configured: TLS to its own name, and the tunnel inside', async () => {
    asked.length = 0;
    const trusted = endpointFor('localhost', [readFileSync(at('ca.crt'), 'utf8')]);
    const socket = await connectThrough(trusted, 'npm.corp.test', 443);
    expect(await readText(socket)).toBe('through the tunnel');
    expect(asked).toEqual(['npm.corp.test:443 Basic bWU6cGFzcw==']);
    const plain = await dialProxy(trusted);
    plain.write('GET http://deb.test/x HTTP/1.1\r\nHost: deb.test\r\nConnection: close\r\n\r\n');
    expect(await readText(plain)).toContain('forwarded');
  });

  it('[NW12] is not used when its authority is unknown, or its certificate is for another name', async () => {
    asked.length = 0;
    const unknown = connectThrough(endpointFor('localhost', []), 'npm.corp.test', 443);
    await expect(unknown).rejects.toThrow(
      'the certificate of the upstream proxy is not accepted (UNABLE_TO_VERIFY_LEAF_SIGNATURE)',
    );
    const other = endpointFor('127.0.0.1', [readFileSync(at('ca.crt'), 'utf8')]);
    await expect(connectThrough(other, 'localhost', 443)).rejects.toThrow(
      'ERR_TLS_CERT_ALTNAME_INVALID',
    );
    expect(asked).toEqual([]);
  });
});
