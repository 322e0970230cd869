/** A package registry on loopback that implements npm's and Python's protocol, and records its requests. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';

export interface Seen {
  path: string;
  method: string;
  headers: IncomingHttpHeaders;
}

export interface Upstream {
  url: string;
  seen: Seen[];
  /** Answers by path; anything else is 404. */
  answers: Map<string, RequestListener>;
  close(): Promise<void>;
}

export async function startUpstream(): Promise<Upstream> {
  const seen: Seen[] = [];
  const answers = new Map<string, RequestListener>();
  const server: Server = createServer((request, response) => {
    const path = request.url ?? '';
    seen.push({ path, method: request.method ?? '', headers: request.headers });
    const answer = answers.get(path);
    if (answer !== undefined) return answer(request, response);
    response.writeHead(404).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    seen,
    answers,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export const bytes =
  (body: Buffer | string, type = 'application/octet-stream', headers = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': type, ...headers }).end(body);
  };

const bin = (name: string, program: string | undefined) =>
  program === undefined ? {} : { bin: { [basename(name)]: program } };

/** `program`: the path of a file that the package offers as its program, with the same code. */
export function tarball(
  folder: string,
  name: string,
  version: string,
  code: string,
  program?: string,
): Buffer {
  const place = join(folder, `${name.replaceAll('/', '-')}-${version}`);
  mkdirSync(join(place, 'package', dirname(program ?? '')), { recursive: true });
  const manifest = { name, version, ...bin(name, program) };
  writeFileSync(join(place, 'package/package.json'), JSON.stringify(manifest));
  if (program !== undefined)
    writeFileSync(join(place, 'package', program), `#!/usr/bin/env node\n${code}\n`);
  writeFileSync(join(place, 'package/index.js'), code);
  const file = join(place, 'out.tgz');
  execFileSync('tar', ['-C', place, '-czf', file, 'package']);
  return readFileSync(file);
}

interface Published {
  name: string;
  version: string;
  tarball: Buffer;
  /** As in its tarball. */
  program?: string;
  /** Other bytes than the served ones, for attacks. */
  integrityOf?: Buffer;
  /** How long the document is fresh; default: it is revalidated each time. */
  maxAgeSeconds?: number;
}

/** Encodes the name as registries do, `@scope%2fname`. */
export function publish(upstream: Upstream, base: string, published: Published): void {
  const { name, version } = published;
  const path = `${name}/-/${name.slice(name.indexOf('/') + 1)}-${version}.tgz`;
  const hashed = published.integrityOf ?? published.tarball;
  const integrity = `sha512-${createHash('sha512').update(hashed).digest('base64')}`;
  const dist = { tarball: `${base}${path}`, integrity };
  const document = {
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { name, version, dist, ...bin(name, published.program) } },
  };
  upstream.answers.set(`/${name.replace('/', '%2f')}`, (request, response) => {
    const etag = `"${integrity}"`;
    if (request.headers['if-none-match'] === etag) return response.writeHead(304).end();
    response.writeHead(200, {
      'content-type': 'application/json',
      etag,
      'cache-control': `max-age=${published.maxAgeSeconds ?? 0}`,
    });
    return response.end(JSON.stringify(document));
  });
  upstream.answers.set(`/${path}`, bytes(published.tarball));
}

const WHEEL = `
import sys, zipfile
out, name, version = sys.argv[1:]
info = f'{name}-{version}.dist-info'
with zipfile.ZipFile(out, 'w') as z:
    z.writestr(f'{name}.py', 'GREETING = "from the wheel"\\n')
    z.writestr(f'{info}/METADATA', f'Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n')
    z.writestr(f'{info}/WHEEL', 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    z.writestr(f'{info}/RECORD', '')
`;

export function wheel(
  folder: string,
  name: string,
  version: string,
): { file: string; body: Buffer } {
  const file = `${name}-${version}-py3-none-any.whl`;
  execFileSync('python3', ['-c', WHEEL, join(folder, file), name, version]);
  return { file, body: readFileSync(join(folder, file)) };
}

export const sha256 = (body: Buffer): string => createHash('sha256').update(body).digest('hex');
