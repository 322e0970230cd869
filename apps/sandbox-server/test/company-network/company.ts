/**
 * The company: a registry with one package, and the proxy that is the only route to it. network.test.ts starts it in a
 * separate namespace and stops it.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import {
  CREDENTIALS,
  PROXY,
  PROXY_PORT,
  REGISTRY,
  REGISTRY_NAME,
  SECURE_PROXY_PORT,
} from './addresses.ts';

const [, , folder = '', hostNamespace] = process.argv;
if (hostNamespace === undefined || readlinkSync('/proc/self/ns/net') === hostNamespace)
  throw new Error('not in the network namespace that was made for this test');

const source = join(folder, 'package');
mkdirSync(source, { recursive: true });
writeFileSync(join(source, 'package.json'), JSON.stringify({ name: 'tiny', version: '1.0.0' }));
writeFileSync(
  join(source, 'index.js'),
  "module.exports = 'it came from the registry of the company';\n",
);
execFileSync('tar', ['-czf', join(folder, 'tiny.tgz'), '-C', folder, 'package']);
const tarball = readFileSync(join(folder, 'tiny.tgz'));
const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
const packument = {
  name: 'tiny',
  'dist-tags': { latest: '1.0.0' },
  versions: {
    '1.0.0': {
      name: 'tiny',
      version: '1.0.0',
      dist: { tarball: `https://${REGISTRY_NAME}/tiny/-/tiny-1.0.0.tgz`, integrity },
    },
  },
};

const pair = (name: string) => ({
  cert: readFileSync(join(folder, `${name}.crt`)),
  key: readFileSync(join(folder, `${name}.key`)),
});
createSecureServer(pair('server'), (request, response) => {
  if (request.url?.endsWith('.tgz')) response.end(tarball);
  else if (request.url === '/tiny') response.end(JSON.stringify(packument));
  else response.writeHead(404).end('{}');
}).listen(443, REGISTRY);

const expected = `Basic ${Buffer.from(`${CREDENTIALS.user}:${CREDENTIALS.password}`).toString('base64')}`;
const recordRequest = (request: IncomingMessage, file: string): boolean => {
  const isAuthorized = request.headers['proxy-authorization'] === expected;
  const line = `${isAuthorized ? 'authorized' : 'anonymous'} ${request.url}\n`;
  appendFileSync(join(folder, file), line);
  return isAuthorized;
};

/** Clients send plain http to this proxy in absolute form. */
const forward =
  (file: string): RequestListener =>
  (request, response) =>
    recordRequest(request, file) ? response.end('forwarded') : response.writeHead(407).end();

const tunnel =
  (file: string) =>
  (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const isAuthorized = recordRequest(request, file);
    socket.on('error', () => socket.destroy());
    if (!isAuthorized || request.url !== `${REGISTRY_NAME}:443`) {
      socket.end(
        `HTTP/1.1 ${isAuthorized ? '403 Forbidden' : '407 Who are you'}\r\nContent-Length: 0\r\n\r\n`,
      );
      return;
    }
    const upstream = connect(443, REGISTRY, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      if (head.length > 0) upstream.write(head);
      upstream.pipe(socket);
      socket.pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
  };

const proxy = createServer(forward('proxied')).on('connect', tunnel('proxied'));
const secureProxy = createSecureServer(pair('proxy'), forward('proxied-securely'));
secureProxy.on('connect', tunnel('proxied-securely'));
secureProxy.listen(SECURE_PROXY_PORT, PROXY, () =>
  proxy.listen(PROXY_PORT, PROXY, () => process.stdout.write('ready\n')),
);
