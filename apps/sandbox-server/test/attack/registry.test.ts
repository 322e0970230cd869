/**
 * Attacks on the registry gateway: code in a sandbox, or a compromised registry of the owner, tries to get the owner's
 * token, to poison what other sandboxes install, to reach the host's loopback, or to fill the disk.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { Sandbox } from 'e2b';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { preparedDataFolder } from '../../../../scripts/testing/prepared-data.ts';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';
import { startSandboxServer } from '../../src/index.ts';
import { openGatewayHarness, type GatewayHarness } from '../registry/gateway-harness.ts';
import {
  bytes,
  publish,
  sha256,
  startUpstream,
  tarball,
  type Upstream,
} from '../registry/upstream.ts';

const TOKEN = 'secret-token-of-the-owner';
let good: Upstream;
let evil: Upstream;
let harness: GatewayHarness;

/** Both are registries of the owner; the token belongs to the good one, and the scope @evil to the other. */
const npmrc = (): string =>
  [
    `registry=${good.url}`,
    `@evil:registry=${evil.url}`,
    `//${new URL(good.url).host}/:_authToken=${TOKEN}`,
  ].join('\n');

beforeEach(async () => {
  [good, evil] = await Promise.all([startUpstream(), startUpstream()]);
  harness = await openGatewayHarness({
    home: { '.npmrc': npmrc() },
    registries: { cacheMb: 16, maxFileMb: 4 },
  });
});
afterEach(async () => {
  await harness.close();
  await Promise.all([good.close(), evil.close()]);
});

const everything = (upstream: Upstream): string => JSON.stringify(upstream.seen);
const cacheFolder = (): string => join(harness.folder, 'data/registries/cache');
const storedBytes = (): number =>
  readdirSync(cacheFolder(), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + readFileSync(join(entry.parentPath, entry.name)).length, 0);

/** The same document, with another address for its file. */
const signed =
  (document: RequestListener | undefined, file: string): RequestListener =>
  (request, response) => {
    const end = response.end.bind(response) as (text?: string) => typeof response;
    // Without a text: the document has not changed.
    response.end = ((text?: string) =>
      end(text?.replace('left-1.0.0.tgz', file))) as typeof response.end;
    document?.(request, response);
  };

const resolve = async (): Promise<string[]> => ['127.0.0.1'];
/** Writes until the other end closes. */
const endless = (
  _request: unknown,
  response: NodeJS.WritableStream & { writeHead(status: number): void },
): void => {
  response.writeHead(200);
  const chunk = Buffer.alloc(65_536);
  const more = (): void => {
    while (response.writable && response.write(chunk));
    if (response.writable) response.once('drain', more);
  };
  more();
};

describe('the registry gateway', () => {
  it('[AT-R1] attack: poisons the cache that other sandboxes read', async () => {
    const honest = tarball(harness.folder, 'left', '1.0.0', 'honest');
    const poison = tarball(harness.folder, 'poison', '1.0.0', 'poison');
    publish(good, good.url, { name: 'left', version: '1.0.0', tarball: honest });
    // Other bytes under the hash of the honest package, in the scope of the other registry.
    publish(evil, evil.url, {
      name: '@evil/left',
      version: '1.0.0',
      tarball: poison,
      integrityOf: honest,
    });
    expect((await harness.ask('/npm/@evil/left/-/left-1.0.0.tgz')).status).toBe(424);
    // A document about another package than the requested one.
    const document = JSON.stringify({ name: 'left', versions: {} });
    evil.answers.set('/@evil%2fx', bytes(document, 'application/json'));
    expect((await harness.ask('/npm/@evil%2fx')).status).toBe(424);
    for (const method of ['PUT', 'POST', 'DELETE'])
      await harness.ask('/npm/left/-/left-1.0.0.tgz', { method, body: poison.toString('latin1') });
    const served = await harness.ask('/npm/left/-/left-1.0.0.tgz');
    expect(served.body).toBe(honest.toString('latin1'));
    expect(readdirSync(join(cacheFolder(), 'blobs'))).not.toContain(sha256(poison));
  });

  it('[AT-R2] attack: reads the token of a registry through another one or a redirect', async () => {
    publish(good, evil.url, { name: 'left', version: '1.0.0', tarball: Buffer.from('x') });
    const url = (path: string): string => new URL(path, evil.url).href;
    good.answers.set('/away', (_request, response) =>
      response.writeHead(302, { location: url('/stolen') }).end(),
    );
    good.answers.set('/echo', (request, response) => {
      response.writeHead(404, { 'x-echo': request.headers.authorization ?? '' });
      response.end(request.headers.authorization);
    });
    evil.answers.set('/stolen', bytes('{}'));
    const answers = [
      await harness.ask('/npm/left/-/left-1.0.0.tgz'),
      await harness.ask('/npm/away'),
      await harness.ask('/npm/echo'),
      await harness.ask('/npm/@evil%2fx', {
        headers: { authorization: 'Bearer mine', cookie: 'a=b' },
      }),
    ];
    expect(everything(good)).toContain(TOKEN);
    expect(evil.seen.length).toBeGreaterThan(0);
    expect(everything(evil)).not.toMatch(/authorization|cookie|secret-token/);
    expect(JSON.stringify([answers, harness.ledger()])).not.toContain(TOKEN);
  });

  it.each([
    '/npm/../../etc/passwd',
    '/npm/%2e%2e/%2e%2e/x',
    '/npm/..%2f..%2fx',
    '/npm/left/-/..%2f..%2fx.tgz',
    '/npm/@a%2f..%2fx',
    '/npm//evil.test/x',
    '/npm/http:%2f%2fevil.test%2fx',
    'http://evil.test/npm/left',
    '/pypi/simple/..%2fx/',
    '/pypi/files/left/x/%2e%2e',
    '/go/evil.test/../x/@v/list',
    '/go/sumdb/evil.test:80/x',
    '/cargo/crates-io/dl/..%2f..%2fx/1.0.0/download',
    '/cargo/__proto__/config.json',
    '/maven/x',
    '/',
  ])('[AT-R3] attack: requests %s outside of the configured registries', async (path) => {
    const { status } = await harness.ask(path);
    expect([400, 404, 424]).toContain(status);
    for (const { path: sent } of [...good.seen, ...evil.seen])
      expect(sent).not.toMatch(/\.\.|evil|passwd/);
  });

  it('[AT-R4] attack: makes the host contact its own loopback, its network or a metadata service', async () => {
    const inner = await startUpstream();
    const targets = [
      inner.url,
      inner.url.replace('127.0.0.1', 'localhost'),
      inner.url.replace('127.0.0.1', '[::ffff:127.0.0.1]'),
      'http://169.254.169.254/latest/',
      'http://10.0.0.1/',
      'file:///etc/passwd',
    ];
    await harness.close();
    harness = await openGatewayHarness({ home: { '.npmrc': npmrc() }, resolve });
    for (const [index, target] of targets.entries()) {
      const name = `p${index}`;
      publish(good, target, { name, version: '1.0.0', tarball: Buffer.from('x') });
      const listed = await harness.ask(`/npm/${name}/-/${name}-1.0.0.tgz`);
      good.answers.set(`/r${index}`, (_request, response) =>
        response.writeHead(307, { location: target }).end(),
      );
      const redirected = await harness.ask(`/npm/r${index}`);
      expect([target, listed.status, redirected.status]).toEqual([
        target,
        expect.any(Number),
        expect.any(Number),
      ]);
      expect(
        [listed.status, redirected.status].every((status) => status === 403 || status === 424),
      ).toBe(true);
    }
    expect(inner.seen).toEqual([]);
    const denied = harness.ledger().filter(({ verdict }) => verdict === 'deny');
    expect(denied).toContainEqual(
      expect.objectContaining({ host: '169.254.169.254', rule: 'address' }),
    );
    await inner.close();
    // Nor is a name of the owner's configuration followed to loopback.
    await harness.close();
    harness = await openGatewayHarness({
      home: { '.npmrc': 'registry=http://registry.acme.test/' },
      resolve,
    });
    expect(await harness.ask('/npm/left')).toMatchObject({
      status: 403,
      body: expect.stringContaining('address'),
    });
  });

  it('[AT-R5] attack: fills the disk or the memory of the host', async () => {
    for (const name of ['a', 'b']) {
      publish(good, good.url, { name, version: '1.0.0', tarball: Buffer.from('x') });
      good.answers.set(`/${name}/-/${name}-1.0.0.tgz`, endless);
    }
    good.answers.set('/index', endless);
    const paths = ['/npm/a/-/a-1.0.0.tgz', '/npm/b/-/b-1.0.0.tgz', '/npm/index'];
    const answers = await Promise.all(paths.map((path) => harness.ask(path)));
    expect(answers.map(({ status }) => status)).toEqual([413, 413, 413]);
    for (let index = 0; index < 8; index += 1) {
      const name = `n${index}`;
      publish(good, good.url, {
        name,
        version: '1.0.0',
        tarball: Buffer.alloc(3 * 1_048_576, name),
      });
      expect((await harness.ask(`/npm/${name}/-/${name}-1.0.0.tgz`)).status).toBe(200);
    }
    await expect.poll(storedBytes).toBeLessThan(16 * 1_048_576);
    expect(readdirSync(join(cacheFolder(), 'arriving'))).toEqual([]);
  }, 60_000);

  it('[AT-R6] attack: finds the token inside a sandbox, or changes what other sandboxes get', async () => {
    const folder = await preparedDataFolder();
    const server = await startSandboxServer({
      apiKey: 'registry-key',
      dataDir: join(folder, 'sandboxes'),
      registries: { home: harness.folder, environment: {} },
    });
    try {
      const { apiUrl, sandboxUrl } = server;
      const sandbox = await Sandbox.create('base', { apiKey: 'registry-key', apiUrl, sandboxUrl });
      publish(good, good.url, {
        name: 'left',
        version: '1.0.0',
        tarball: tarball(harness.folder, 'left', '1.0.0', 'x'),
      });
      const search = `curl -s http://127.0.0.1:7003/npm/left | head -c 100; env; npm config ls -l 2>&1; grep -rs ${TOKEN} /run /etc /home /tmp /proc/[0-9]*/environ; id`;
      const change =
        'touch /run/registries/x; echo x > /run/registries/npmrc; mount -o remount,rw /run/registries; ls /run/registries';
      for (const user of ['user', 'root'] as const) {
        const found = await sandbox.commands.run(search, { user });
        expect(found.stdout).toContain('"name":"left"');
        expect(found.stdout.replaceAll(`grep -rs ${TOKEN}`, '')).not.toContain(TOKEN);
        const tried = await sandbox.commands.run(`${change} || true`, { user });
        expect(tried.stdout.split('\n')).not.toContain('x');
        expect(tried.stdout).toContain('npmrc');
      }
      const npmrcInside = await sandbox.commands.run('cat /run/registries/npmrc');
      expect(npmrcInside.stdout).toContain('registry=http://127.0.0.1:7003/npm/');
      await sandbox.kill();
    } finally {
      await server.close('stop');
      removeFolder(folder);
    }
  }, 180_000);

  it('[AT-R7] attack: reads a token in the path or query of a registry’s address', async () => {
    const secret = 'Xk29sdKq0Lmz81PqrT5v';
    const base = `${good.url}${secret}/npm/`;
    const signature = 'X-Signature=5f3a9c';
    for (const name of ['left', '@evil/left']) {
      const body = tarball(harness.folder, name, '1.0.0', `module.exports = "${name}"`);
      const { answers, url } = name === 'left' ? good : evil;
      publish(name === 'left' ? good : evil, name === 'left' ? base : url, {
        name,
        version: '1.0.0',
        tarball: body,
      });
      if (name !== 'left') {
        // A registry whose own address contains no secret signs the addresses of its files.
        const document = answers.get('/@evil%2fleft');
        answers.set('/@evil%2fleft', signed(document, `left-1.0.0.tgz?${signature}`));
        answers.set(`/@evil/left/-/left-1.0.0.tgz?${signature}`, bytes(body));
      } else
        for (const path of ['left', 'left/-/left-1.0.0.tgz']) {
          const answer = answers.get(`/${path}`);
          if (answer !== undefined) answers.set(`/${secret}/npm/${path}`, answer);
          answers.delete(`/${path}`);
        }
    }
    writeFileSync(join(harness.folder, '.npmrc'), `registry=${base}\n@evil:registry=${evil.url}\n`);
    const folder = await preparedDataFolder();
    const server = await startSandboxServer({
      apiKey: 'registry-key',
      dataDir: join(folder, 'sandboxes'),
      registries: { home: harness.folder, environment: {} },
    });
    try {
      const { apiUrl, sandboxUrl } = server;
      const sandbox = await Sandbox.create('base', { apiKey: 'registry-key', apiUrl, sandboxUrl });
      const installs = ['npm install', 'yarn install', 'pnpm install', 'bun install'];
      for (const install of installs) {
        const { stdout } = await sandbox.commands.run(
          `mkdir p-${install.split(' ')[0]} && cd p-${install.split(' ')[0]} && echo '{"name":"p","license":"MIT","dependencies":{"left":"1.0.0","@evil/left":"1.0.0"}}' > package.json && ${install} && node -p 'require("left") + require("@evil/left")' && cat *lock*`,
          { timeoutMs: 120_000 },
        );
        expect(`${install}: ${stdout}`).toContain('left@evil/left');
        expect(stdout).not.toContain('7003');
        if (install.startsWith('npm')) {
          // npm replaces this by the configured registry, here and outside.
          expect(stdout).toContain('https://registry.npmjs.org/left/-/left-1.0.0.tgz');
          expect(stdout).toContain(`${evil.url}@evil/left/-/left-1.0.0.tgz`);
        }
      }
      const requests = [
        'curl -s http://127.0.0.1:7003/npm/left',
        'curl -s -A npm/11 http://127.0.0.1:7003/npm/left http://127.0.0.1:7003/npm/@evil%2fleft',
        'curl -s http://127.0.0.1:7003/npm/left/1.0.0',
      ];
      const found = await sandbox.commands.run(
        `${requests.join('; ')}; env; cat /run/registries/*; npm config ls -l; cat ~/p-*/*lock* ~/p-*/node_modules/.*.json; grep -rlE '${secret.slice(0, 10)}[Lmz81PqrT5v]|X-Signatur[e]' ~ /tmp /run || true`,
      );
      expect(found.stdout).toContain('"name":"left"');
      expect(found.stdout).not.toMatch(new RegExp(`${secret}|${signature}`));
      expect(found.stdout.trim().split('\n').at(-1)).not.toMatch(/^\/(?:home|tmp|run)/);
      expect(everything(good)).toContain(secret);
      expect(everything(evil)).toContain(signature);
      await sandbox.kill();
    } finally {
      await server.close('stop');
      removeFolder(folder);
    }
  }, 180_000);
});
