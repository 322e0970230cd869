import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeAuthority } from '../company-network/authority.ts';
import { openGatewayHarness, type GatewayHarness } from './gateway-harness.ts';
import { bytes, publish, sha256, startUpstream, tarball, type Upstream } from './upstream.ts';

const TOKEN = 'secret-token-of-the-owner';
let upstream: Upstream;
let harness: GatewayHarness;
const npmrc = (): string =>
  `registry=${upstream.url}\n//${new URL(upstream.url).host}/:_authToken=${TOKEN}\n`;

beforeEach(async () => {
  upstream = await startUpstream();
  harness = await openGatewayHarness({ home: { '.npmrc': npmrc() } });
});
afterEach(async () => {
  await harness.close();
  await upstream.close();
});

const asked = (path: string): number => upstream.seen.filter((seen) => seen.path === path).length;

const put = (name = 'left', version = '1.0.0', code = 'left', maxAgeSeconds = 0): Buffer => {
  const body = tarball(harness.folder, name, version, code);
  publish(upstream, upstream.url, { name, version, tarball: body, maxAgeSeconds });
  return body;
};
const big = (letter: string): Buffer => Buffer.alloc(6 * 1_048_576, letter);

describe('the registry gateway: npm', () => {
  it('[RG1] serves verified files of the configured registry, and fetches each file once', async () => {
    const body = put('@acme/left');
    const document = await harness.ask('/npm/@acme%2fleft', {
      headers: { 'user-agent': 'npm/11.0.0' },
    });
    expect(document.status).toBe(200);
    expect(document.body).toContain(`${upstream.url}@acme/left/-/left-1.0.0.tgz`);
    for (const path of ['/npm/@acme/left/-/left-1.0.0.tgz', '/@acme/left/-/left-1.0.0.tgz'])
      expect((await harness.ask(path)).body).toBe(body.toString('latin1'));
    expect(asked('/@acme/left/-/left-1.0.0.tgz')).toBe(1);
    expect(upstream.seen.every(({ headers }) => headers.authorization === `Bearer ${TOKEN}`)).toBe(
      true,
    );
    expect(harness.ledger()).toMatchObject([
      { host: '127.0.0.1', verdict: 'allow', rule: 'registry' },
    ]);
    expect(await harness.ask('/npm/@acme%2fleft/latest')).toMatchObject({ status: 200 });
    expect(await harness.ask('/npm/@acme%2fleft/9.9.9')).toMatchObject({ status: 404 });
    expect(await harness.ask('/npm/none')).toMatchObject({ status: 404, reason: /none is not in/ });
  });

  it('[RG1] keeps no file open for a client that disconnected', async () => {
    put('left', '1.0.0', 'x'.repeat(2_000_000));
    const path = '/npm/left/-/left-1.0.0.tgz';
    expect((await harness.ask(path)).status).toBe(200);
    const leave = (afterMs: number) =>
      new Promise<void>((resolve) => {
        const sent = httpRequest(new URL(path, harness.url), () => undefined);
        sent.on('error', () => undefined);
        sent.on('close', () => resolve());
        sent.end();
        setTimeout(() => sent.destroy(), afterMs);
      });
    for (let call = 0; call < 60; call++) await leave(call % 6);
    const open = () =>
      readdirSync('/proc/self/fd').filter((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).includes(`${harness.folder}/`);
        } catch {
          return false;
        }
      });
    await expect.poll(open, { timeout: 5_000 }).toEqual([]);
  });

  it('[RG1] neither stores nor serves a file whose checksum differs from its index', async () => {
    const other = tarball(harness.folder, 'other', '1.0.0', 'other');
    publish(upstream, upstream.url, {
      name: 'bad',
      version: '1.0.0',
      tarball: other,
      integrityOf: Buffer.from('x'),
    });
    for (let time = 0; time < 2; time += 1) {
      const { status, body } = await harness.ask('/npm/bad/-/bad-1.0.0.tgz');
      expect([status, body]).toEqual([424, expect.stringContaining('does not match the checksum')]);
    }
    const blobs = readdirSync(join(harness.folder, 'data/registries/cache/blobs'));
    expect(blobs).not.toContain(sha256(other));
    expect(readdirSync(join(harness.folder, 'data/registries/cache/arriving'))).toEqual([]);
  });

  it.each([
    ['npm/11.0.0 node/v24', (base: string) => `${base}left/-/left-1.0.0.tgz`],
    ['pnpm/10.0.0 npm/? node/v24', () => 'http://127.0.0.1:7003/npm/left/-/left-1.0.0.tgz'],
    ['Bun/1.4.4', () => ''],
  ])(
    '[RG2] %s gets an address that keeps its lock file the same as outside',
    async (agent, expected) => {
      put();
      const { body } = await harness.ask('/npm/left', { headers: { 'user-agent': agent } });
      const { versions } = JSON.parse(body) as {
        versions: Record<string, { dist: { tarball: string } }>;
      };
      expect(versions['1.0.0']?.dist.tarball).toBe(expected(upstream.url));
    },
  );

  it('[RG3] revalidates an old index, and serves it as stale while the registry is down', async () => {
    put();
    await harness.ask('/npm/left');
    await harness.ask('/npm/left');
    expect(upstream.seen.map(({ headers }) => headers['if-none-match'] !== undefined)).toEqual([
      false,
      true,
    ]);
    put('left', '2.0.0');
    expect((await harness.ask('/npm/left')).body).toContain('2.0.0');
    upstream.answers.set('/left', (_request, response) => response.writeHead(503).end());
    const stale = await harness.ask('/npm/left');
    expect(stale).toMatchObject({ status: 200, headers: { 'x-ship-registry': 'stale' } });
    expect(stale.headers['warning']).toContain('110');
    expect(await harness.ask('/npm/absent-503')).toMatchObject({ status: 404 });
  });

  it('[RG3] a registry that is down and was never queried is named immediately', async () => {
    await upstream.close();
    const { status, body } = await harness.ask('/npm/left');
    expect([status, body]).toEqual([424, expect.stringContaining(new URL(upstream.url).host)]);
    upstream = await startUpstream();
  });

  it('[RG4] many requests for one file cause one fetch', async () => {
    const body = put('left', '1.0.0', 'left', 60);
    upstream.answers.set('/left/-/left-1.0.0.tgz', (_request, response) => {
      response.write(body.subarray(0, 10));
      setTimeout(() => response.end(body.subarray(10)), 100);
    });
    const all = await Promise.all(
      Array.from({ length: 20 }, () => harness.ask('/npm/left/-/left-1.0.0.tgz')),
    );
    expect(new Set(all.map(({ body: text }) => text))).toEqual(new Set([body.toString('latin1')]));
    expect([asked('/left'), asked('/left/-/left-1.0.0.tgz')]).toEqual([1, 1]);
  });

  it('[RG5] a registry that the rules of a sandbox deny is refused immediately, cached or not', async () => {
    put();
    await harness.ask('/npm/left/-/left-1.0.0.tgz');
    upstream.seen.splice(0);
    harness.policy = { allowOut: [], denyOut: [{ kind: 'everything' }], internet: true };
    for (const path of ['/npm/left', '/npm/left/-/left-1.0.0.tgz']) {
      const { status, reason, body } = await harness.ask(path);
      expect([status, reason]).toEqual([
        403,
        expect.stringMatching(/Ship refuses .*127\.0\.0\.1.*sandbox-deny/),
      ]);
      expect(JSON.parse(body)).toEqual({ error: reason });
    }
    expect(upstream.seen).toEqual([]);
    expect(harness.ledger()).toContainEqual(
      expect.objectContaining({ host: '127.0.0.1', verdict: 'deny', rule: 'sandbox-deny' }),
    );
  });

  it('[RG6] keeps audits inside, and refuses requests that change something', async () => {
    const audit = '/npm/-/npm/v1/security/advisories/bulk';
    expect(await harness.ask(audit, { method: 'POST', body: '{"left":["1"]}' })).toMatchObject({
      status: 200,
      body: '{}',
    });
    for (const method of ['PUT', 'POST', 'DELETE', 'PATCH'])
      expect(await harness.ask('/npm/left', { method, body: '{}' })).toMatchObject({ status: 405 });
    expect(upstream.seen).toEqual([]);
  });

  it('[RG7] evicts the least recently used files', async () => {
    await harness.close();
    harness = await openGatewayHarness({
      home: { '.npmrc': npmrc() },
      registries: { cacheMb: 16 },
    });
    for (const name of ['a', 'b', 'c'])
      publish(upstream, upstream.url, { name, version: '1.0.0', tarball: big(name) });
    const get = async (name: string): Promise<number> =>
      (await harness.ask(`/npm/${name}/-/${name}-1.0.0.tgz`)).status;
    expect([
      await get('a'),
      await get('b'),
      await get('a'),
      await get('c'),
      await get('a'),
    ]).toEqual([200, 200, 200, 200, 200]);
    expect([asked('/a/-/a-1.0.0.tgz'), asked('/b/-/b-1.0.0.tgz')]).toEqual([1, 1]);
    await get('b');
    expect(asked('/b/-/b-1.0.0.tgz')).toBe(2);
  });

  it('[RG8] reloads changed settings, and writes none of their secrets to disk', async () => {
    put();
    await harness.ask('/npm/left/-/left-1.0.0.tgz');
    const files = readdirSync(join(harness.folder, 'data'), {
      recursive: true,
      withFileTypes: true,
    })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
    expect(files.length).toBeGreaterThan(5);
    expect(files.filter((text) => text.includes(TOKEN))).toEqual([]);
    expect(JSON.stringify(harness.ledger())).not.toContain(TOKEN);
    const other = await startUpstream();
    publish(other, other.url, { name: 'left', version: '3.0.0', tarball: Buffer.from('x') });
    writeFileSync(join(harness.folder, '.npmrc'), `registry=${other.url}\n`);
    harness.clock.advance(3_000);
    expect((await harness.ask('/npm/left')).body).toContain('3.0.0');
    expect(other.seen.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    await other.close();
  });
});

describe('the registry gateway: other registries', () => {
  it('[RG9] Python: both forms of the index, from all indexes, files by their hash', async () => {
    await harness.close();
    harness = await openGatewayHarness({
      home: {},
      environment: {
        PIP_INDEX_URL: `${upstream.url.replace('//', '//me:pass@')}simple`,
        PIP_EXTRA_INDEX_URL: `${upstream.url}extra/`,
      },
    });
    const body = Buffer.from('a wheel');
    const hash = sha256(body);
    upstream.answers.set(
      '/simple/my-pkg/',
      bytes(
        `<a href="../../f/my_pkg-1.0.whl#sha256=${hash}" data-requires-python="&gt;=3.8">my_pkg-1.0.whl</a>`,
        'text/html',
      ),
    );
    upstream.answers.set(
      '/extra/my-pkg/',
      bytes(
        JSON.stringify({
          files: [
            { filename: 'my_pkg-2.0.whl', url: '/f/two.whl', hashes: { sha256: '0'.repeat(64) } },
          ],
        }),
        'application/vnd.pypi.simple.v1+json',
      ),
    );
    upstream.answers.set('/f/my_pkg-1.0.whl', bytes(body));
    upstream.answers.set('/f/two.whl', bytes('something else'));
    const html = await harness.ask('/pypi/simple/My_Pkg/');
    expect(html.body).toContain(
      `href="../../files/my-pkg/${hash}/my_pkg-1.0.whl#sha256=${hash}" data-requires-python="&#62;=3.8"`,
    );
    const accept = 'application/vnd.pypi.simple.v1+json';
    const page = JSON.parse(
      (await harness.ask('/pypi/simple/my-pkg/', { headers: { accept } })).body,
    ) as { files: { filename: string }[] };
    expect(page.files.map(({ filename }) => filename).toSorted()).toEqual([
      'my_pkg-1.0.whl',
      'my_pkg-2.0.whl',
    ]);
    expect(await harness.ask(`/pypi/files/my-pkg/${hash}/my_pkg-1.0.whl`)).toMatchObject({
      status: 200,
      body: 'a wheel',
    });
    expect(await harness.ask(`/pypi/files/my-pkg/${'0'.repeat(64)}/my_pkg-2.0.whl`)).toMatchObject({
      status: 424,
    });
    expect(await harness.ask(`/pypi/files/my-pkg/${hash}/other.whl`)).toMatchObject({
      status: 404,
    });
    expect(upstream.seen[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from('me:pass').toString('base64')}`,
    );
  });

  it('[RG9] Go: the next proxy is queried when one does not have a module; the checksum database uses the same route', async () => {
    await harness.close();
    harness = await openGatewayHarness({
      home: {},
      environment: {
        GOPROXY: `${upstream.url}one,${upstream.url}two,direct`,
        GOPRIVATE: 'git.acme.test',
      },
    });
    upstream.answers.set('/two/github.com/!big/mod/@v/v1.0.0.zip', bytes('zip'));
    upstream.answers.set('/one/sumdb/sum.golang.org/supported', bytes(''));
    const path = '/go/github.com/!big/mod/@v/v1.0.0.zip';
    expect(await harness.ask(path)).toMatchObject({ status: 200, body: 'zip' });
    expect(await harness.ask(path)).toMatchObject({ status: 200, body: 'zip' });
    expect(asked('/two/github.com/!big/mod/@v/v1.0.0.zip')).toBe(1);
    expect(await harness.ask('/go/sumdb/sum.golang.org/supported')).toMatchObject({ status: 200 });
    expect(await harness.ask('/go/github.com/!big/mod/x')).toMatchObject({ status: 404 });
    const env = readFileSync(join(harness.folder, 'data/registries/settings/go.env'), 'utf8');
    expect(env).toBe('GOPROXY=http://127.0.0.1:7003/go,direct\nGOPRIVATE=git.acme.test\n');
  });

  it('[RG9] Cargo: the sparse index and its verified crates, of a mirror of crates.io and of a named registry', async () => {
    await harness.close();
    const cargo = mkdtempSync(join(tmpdir(), 'ship-cargo-'));
    const sources = `[source.crates-io]\nreplace-with = "mirror"\n[source.mirror]\nregistry = "sparse+${upstream.url}index/"\n`;
    const named = `[registries.acme]\nindex = "sparse+${upstream.url}acme/"\n`;
    writeFileSync(join(cargo, 'config.toml'), sources + named);
    writeFileSync(join(cargo, 'credentials.toml'), `[registries.acme]\ntoken = "${TOKEN}"\n`);
    harness = await openGatewayHarness({ home: {}, environment: { CARGO_HOME: cargo } });
    const crate = Buffer.from('a crate');
    const line = JSON.stringify({ name: 'Serde', vers: '1.0.0', deps: [], cksum: sha256(crate) });
    for (const name of ['index', 'acme']) {
      upstream.answers.set(
        `/${name}/config.json`,
        bytes(JSON.stringify({ dl: `${upstream.url}dl/{crate}-{version}.crate` })),
      );
      upstream.answers.set(`/${name}/se/rd/serde`, bytes(`${line}\n`));
    }
    upstream.answers.set('/dl/Serde-1.0.0.crate', bytes(crate));
    for (const name of ['crates-io', 'acme']) {
      const { body } = await harness.ask(`/cargo/${name}/config.json`);
      expect(JSON.parse(body)).toEqual({ dl: `http://127.0.0.1:7003/cargo/${name}/dl` });
      expect((await harness.ask(`/cargo/${name}/se/rd/serde`)).body).toContain('"vers":"1.0.0"');
      expect((await harness.ask(`/cargo/${name}/dl/Serde/1.0.0/download`)).body).toBe('a crate');
      expect((await harness.ask(`/cargo/${name}/dl/Serde/2.0.0/download`)).status).toBe(404);
    }
    expect(asked('/dl/Serde-1.0.0.crate')).toBe(1);
    const settings = readFileSync(
      join(harness.folder, 'data/registries/settings/cargo.toml'),
      'utf8',
    );
    expect(settings).toContain('[source.crates-io]\nreplace-with = "ship-crates-io"');
    expect(settings).toContain(`[registries.acme]\nindex = "sparse+${upstream.url}acme/"`);
    expect(settings).not.toContain(TOKEN);
    rmSync(cargo, { recursive: true });
  });
});

const resolve = () => Promise.reject(new Error('no such name'));

describe('the registry gateway behind the machine’s own proxy', () => {
  it('[RG12] reaches a registry whose name only the proxy resolves, and fails without a proxy', async () => {
    const connects: string[] = [];
    const proxy = createServer().on('connect', (request, socket) => {
      connects.push(request.url ?? '');
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
    const { port } = proxy.address() as AddressInfo;
    const home = { '.npmrc': 'registry=https://npm.corp.test/\n' };
    const https = `http://127.0.0.1:${port}`;
    const behind = await openGatewayHarness({
      home,
      resolve,
      egress: { upstreamProxy: { https } },
    });
    const direct = await openGatewayHarness({ home, resolve });
    try {
      expect((await behind.ask('/npm/left')).status).not.toBe(200);
      expect([...new Set(connects)]).toEqual(['npm.corp.test:443']);
      const before = connects.length;
      expect(await direct.ask('/npm/left')).toMatchObject({
        status: 424,
        reason: /cannot be resolved/,
      });
      expect(connects).toHaveLength(before);
    } finally {
      await Promise.all([behind.close(), direct.close()]);
      proxy.close();
    }
  });
});

describe('the registry gateway and authorities', () => {
  it('[RG13] trusts the company authority that is configured, and no unknown one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ship-authority-'));
    makeAuthority(folder, 'localhost');
    const [cert, key] = ['server.crt', 'server.key'].map((name) =>
      readFileSync(join(folder, name)),
    );
    const registry = createSecureServer({ cert, key }, (_request, response) => {
      response.end(JSON.stringify({ name: 'left', versions: {}, 'dist-tags': {} }));
    });
    await new Promise<void>((listening) => registry.listen(0, '127.0.0.1', listening));
    const { port } = registry.address() as AddressInfo;
    const given = {
      home: { '.npmrc': `registry=https://localhost:${port}/\n` },
      resolve: async () => ['127.0.0.1'],
    };
    const certificateFiles = [join(folder, 'ca.crt')];
    const trusting = await openGatewayHarness({ ...given, certificateFiles });
    const strange = await openGatewayHarness(given);
    try {
      expect(await trusting.ask('/npm/left')).toMatchObject({ status: 200 });
      expect((await strange.ask('/npm/left')).status).not.toBe(200);
    } finally {
      await Promise.all([trusting.close(), strange.close()]);
      registry.closeAllConnections();
      registry.close();
      rmSync(folder, { recursive: true });
    }
  });
});
