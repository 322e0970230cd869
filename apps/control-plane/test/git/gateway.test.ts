import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type SessionId, createId } from '@ship/protocol';
import { type RunningForge, startForge } from '@ship/forge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  gatewayRemote,
  gitCapabilities,
  type GitClaims,
} from '../../src/git/gateway/capability.ts';
import { type RunningControlPlane, SECRET, startControlPlane } from './support/control-plane.ts';
import { commit, git, gitFailure, repository, write } from './support/git.ts';

const TOKEN = 'forge-token-that-must-not-leak';
const HOUR_MS = 3_600_000;

/** A client that sends two bytes of its commands and then stalls, while the other tests run. */
const stall = async (url: URL): Promise<string> => {
  const socket = connect(Number(url.port), url.hostname);
  socket.write(
    `POST ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Type: application/x-git-receive-pack-request\r\nContent-Length: 1000\r\n\r\n00`,
  );
  const [data] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return data.toString();
};

const line = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text;

async function memoryMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

describe('git gateway', { timeout: 60_000 }, () => {
  let folder: string;
  let forge: RunningForge;
  let plane: RunningControlPlane;
  let origin: string;
  let stalled: Promise<string>;
  let sessionId: SessionId;
  const branch = 'ship-work';
  const capabilities = gitCapabilities(SECRET);
  let claims: GitClaims;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ship-gateway-'));
    forge = await startForge({
      root: join(folder, 'forge'),
      tokens: [{ token: TOKEN, login: 'ada' }],
    });
    plane = await startControlPlane(folder, { ...forge, token: TOKEN });
    const holder = await plane.holder();
    ({ sessionId } = holder);
    claims = { ...holder, repository: { forge: 'local', owner: 'ada', name: 'app' }, branch };
    origin = await repository(join(folder, 'origin'));
    await api('POST', '/user/repos', { name: 'app' });
    await api('POST', '/user/repos', { name: 'other' });
    const direct = forge.gitUrl.replace('http://', `http://x:${TOKEN}@`);
    await git(origin, 'push', '-q', `${direct}/ada/app.git`, 'main');
    await git(origin, 'push', '-q', `${direct}/ada/other.git`, 'main');
    stalled = stall(new URL(`${await remote()}/git-receive-pack`));
  }, 60_000);

  afterAll(async () => {
    await plane.stop();
    await forge.close();
    await rm(folder, { recursive: true, force: true });
  });

  const api = async (method: string, path: string, body?: unknown): Promise<unknown> =>
    (
      await fetch(`${forge.apiUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    ).json();

  const remote = async (
    change: Partial<GitClaims> = {},
    { secret = SECRET, expiresAt = Date.now() + HOUR_MS } = {},
  ): Promise<string> => {
    const signed = { ...claims, ...change };
    const issued = await (secret === SECRET ? capabilities : gitCapabilities(secret)).issue(
      signed,
      expiresAt,
    );
    return gatewayRemote(plane.url, issued, claims);
  };

  let clones = 0;
  const clone = async (...options: string[]): Promise<string> => {
    const path = join(folder, `clone-${clones++}`);
    await git(folder, 'clone', '-q', ...options, await remote(), path);
    return path;
  };
  const refs = async (): Promise<string> =>
    git(
      origin,
      'ls-remote',
      `${forge.gitUrl.replace('http://', `http://x:${TOKEN}@`)}/ada/app.git`,
    );
  const post = async (
    body: BodyInit,
    headers: Record<string, string> = {},
    service = 'git-receive-pack',
  ) =>
    fetch(`${await remote()}/${service}`, {
      method: 'POST',
      headers: { 'content-type': `application/x-${service}-request`, ...headers },
      body,
    });

  it('[GG1] clones, shallow too, fetches and pushes to the session’s branch and saved states', async () => {
    const work = await clone('--depth', '1', '--no-single-branch');
    const sha = await commit(work, { 'new.txt': 'x\n' });
    await git(work, 'push', '-q', 'origin', `HEAD:refs/heads/${branch}`);
    await git(work, 'push', '-q', 'origin', `HEAD:refs/ship/${sessionId}/checkpoint`);
    expect(await refs()).toContain(`${sha}\trefs/heads/${branch}`);
    await git(work, 'push', '-q', 'origin', `:refs/ship/${sessionId}/checkpoint`);
    expect(await refs()).not.toContain('checkpoint');
    const second = await clone();
    expect(await git(second, 'rev-parse', `origin/${branch}`)).toBe(sha);
    await git(second, 'fetch', '-q', 'origin');
  });

  it.each(['version=2', 'version=1', 'version=0'])(
    '[MR6] the saved states of another session are not listed in protocol %s, its own are',
    async (version) => {
      const direct = `${forge.gitUrl.replace('http://', `http://x:${TOKEN}@`)}/ada/app.git`;
      const theirs = `refs/ship/${createId('ses')}/checkpoint`;
      const own = `refs/ship/${sessionId}/checkpoint`;
      const sha = await commit(origin, { 'secret.txt': version });
      await git(origin, 'push', '-q', direct, `HEAD:${theirs}`, `HEAD~1:${own}`);
      const config = ['-c', `protocol.version=${version.slice(-1)}`];
      const listing = await git(origin, ...config, 'ls-remote', await remote());
      expect(listing).toContain(own);
      expect(listing).toContain('refs/heads/main');
      expect(listing).not.toContain(theirs);
      expect(listing).not.toContain(sha);
      const work = await clone(...config);
      const said = await gitFailure(work, ...config, 'fetch', 'origin', theirs);
      expect(said).toContain("couldn't find remote ref");
      await git(work, ...config, 'fetch', '-q', 'origin', own);
      for (const service of ['git-upload-pack', 'git-receive-pack']) {
        const address = `${await remote()}/info/refs?service=${service}`;
        const answer = await fetch(address, { headers: { 'git-protocol': version } });
        expect(await answer.text()).not.toContain(theirs);
      }
      // The request for a list may be compressed.
      const asked = gzipSync(`0014command=ls-refs\n0001${line(`ref-prefix ${theirs}\n`)}0000`);
      const headers = { 'content-encoding': 'gzip', 'git-protocol': 'version=2' };
      const listed = await post(asked, headers, 'git-upload-pack');
      expect(await listed.text()).toBe('0000');
      await git(origin, 'push', '-q', direct, `:${theirs}`, `:${own}`);
      await git(origin, 'reset', '-q', '--hard', 'HEAD~1');
    },
  );

  it('[GG1] a large push is streamed', async () => {
    const work = await clone();
    const { randomBytes } = await import('node:crypto');
    await commit(work, { 'big.bin': randomBytes(12_000_000) });
    await git(work, 'push', '-q', '--force', 'origin', `HEAD:${branch}`);
    expect(await refs()).toContain(await git(work, 'rev-parse', 'HEAD'));
  });

  it.each([
    ['another branch', ['HEAD:refs/heads/other'], 'may push to ship-work only'],
    ['the base', ['HEAD:refs/heads/main'], 'may push to ship-work only'],
    ['a branch with the session’s as its beginning', ['HEAD:refs/heads/ship-work2'], 'may push to'],
    ['a tag', ['HEAD:refs/tags/v1'], 'cannot push tags'],
    ['a deletion of the branch', [':refs/heads/ship-work'], 'cannot delete its branch'],
    ['a deletion of the base', [':refs/heads/main'], 'may push to ship-work only'],
    ['a mixed batch', ['HEAD:refs/heads/ship-work', 'HEAD:refs/heads/main'], 'refused together'],
    ['another session’s state', [`HEAD:refs/ship/${createId('ses')}/checkpoint`], 'may push to'],
    ['a path out of the session’s states', ['HEAD:refs/ship/OWN/a/b'], 'not a valid name'],
  ])('[GG2] refuses %s, and git shows the agent why', async (_, specs, reason) => {
    const work = await clone();
    await git(work, 'push', '-q', '--force', 'origin', `main:${branch}`);
    await commit(work, { 'attack.txt': String(Math.random()) });
    const before = await refs();
    const own = specs.map((spec) => spec.replace('OWN', sessionId));
    const said = await gitFailure(work, 'push', '--force', 'origin', ...own);
    expect(said).toContain('[remote rejected]');
    expect(said).toContain(reason);
    expect(await refs()).toBe(before);
  });

  it.each<[string, () => Promise<string>]>([
    ['an expired capability', () => remote({}, { expiresAt: Date.now() - 1 })],
    ['one of another installation', () => remote({}, { secret: 'f'.repeat(64) })],
    [
      'another repository than its own',
      async () => (await remote()).replace('/app.git', '/other.git'),
    ],
    ['one of a session that is gone', () => remote({ sessionId: createId('ses') })],
    ['one of a sandbox that its session no longer has', () => remote({ sandboxId: 'earlier' })],
    ['no capability', async () => `${plane.url}/gateway/git/none/ada/app.git`],
  ])('[GG3] refuses %s, for reading too', async (_, make) => {
    const said = await gitFailure(folder, 'ls-remote', await make());
    expect(said).toContain('403');
    expect(said).toMatch(/remote: Ship: this (address is invalid|session may use ada\/app only)/);
    expect(said).not.toContain(TOKEN);
  });

  it('[GG4] requests that git could parse differently than the gateway are refused', async () => {
    const zero = '0'.repeat(40);
    const good = `${zero} ${'1'.repeat(40)} refs/heads/${branch}`;
    const evil = `${zero} ${'1'.repeat(40)} refs/heads/main`;
    const before = await refs();
    const bodies: string[] = [
      line(`${good}\0report-status\n`) + line(`${evil}\0report-status\n`) + '0000',
      line(`${good}\0report-status\0${evil}`) + '0000',
      line(`${good}\n${evil}\0report-status`) + '0000',
      line(`push-cert\0report-status\n`) + line(evil) + '0000',
      line(`${good}\0report-status push-options\n`) + '0000' + line('merge') + '0000',
      `0001${line(evil)}0000`,
      `0004${line(evil)}0000`,
      ` 03e${line(evil)}0000`,
      `+03e${line(evil)}0000`,
      line(`${good} `) + '0000',
      line(`${good}\u0001`) + '0000',
      line(`${zero} ${'1'.repeat(39)}g refs/heads/${branch}`) + '0000',
      line(good),
      'ffff',
      '',
    ];
    for (const body of bodies) {
      const response = await post(body);
      const text = await response.text();
      expect(text).toMatch(/Ship: /);
      expect(text).not.toContain(TOKEN);
    }
    const packed = await post(Buffer.from('1f8b0800', 'hex'), { 'content-encoding': 'gzip' });
    expect(packed.status).toBe(415);
    expect(await refs()).toBe(before);
  });

  it('[GG5] an endless list of commands is cut off, and memory stays flat', async () => {
    const chunk = Buffer.from(
      `0067${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/aaaaa\n`.padEnd(0x67, 'a').repeat(1_000),
    );
    const attack = async () => {
      let sent = 0;
      const body = new ReadableStream({
        pull(controller) {
          sent += chunk.length;
          if (sent > 200_000_000) controller.close();
          else controller.enqueue(chunk);
        },
      });
      // An answer and a closed connection are both refusals.
      const answer = await fetch(`${await remote()}/git-receive-pack`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-git-receive-pack-request' },
        body,
        duplex: 'half',
      } as RequestInit).catch(() => undefined);
      expect([413, 400, undefined]).toContain(answer?.status);
    };
    await attack();
    const before = await memoryMb(plane.pid);
    for (let i = 0; i < 3; i += 1) await attack();
    expect((await memoryMb(plane.pid)) - before).toBeLessThan(60);
  });

  it('[GG6] a forge that refuses, redirects or is unreachable is reported without the credential', async () => {
    const seen: (string | undefined)[] = [];
    const answers: [number, Record<string, string>][] = [
      [401, { 'www-authenticate': 'Basic' }],
      [302, { location: 'http://127.0.0.1:1/steal' }],
      [500, {}],
      [404, {}],
      [429, {}],
    ];
    let next = 0;
    const server: Server = createServer((request, response) => {
      seen.push(request.headers.authorization);
      const [status, headers] = answers[next++] ?? [500, {}];
      response.writeHead(status, headers).end(`token ${TOKEN}`);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const other = await startControlPlane(join(folder, 'other-plane'), {
      apiUrl: url,
      gitUrl: url,
      token: TOKEN,
    });
    const holder = await other.holder();
    const ask = async () =>
      fetch(
        `${(await remote(holder)).replace(plane.url, other.url)}/info/refs?service=git-upload-pack`,
      );
    const statuses: number[] = [];
    for (const _ of answers) {
      const response = await ask();
      statuses.push(response.status);
      expect(await response.text()).not.toContain(TOKEN);
      expect(response.headers.get('www-authenticate')).toBeNull();
    }
    expect(statuses).toEqual([502, 502, 502, 404, 429]);
    expect(seen.every((header) => header?.startsWith('Basic ') === true)).toBe(true);
    server.closeAllConnections();
    server.close();
    expect((await ask()).status).toBe(502);
    await other.stop();
  });

  it('[GG7] the token is neither in a clone nor in the log', async () => {
    const work = await clone();
    await write(work, { x: '1' });
    const found = spawnSync('grep', ['-rl', TOKEN, work], { encoding: 'utf8' });
    expect([found.status, found.stdout]).toEqual([1, '']);
    expect(plane.log.join('\n')).not.toContain(TOKEN);
  });

  it('[GG5] a stalled push times out, and others are served meanwhile', async () => {
    expect(await stalled).toContain('408');
  });

  it('[GG3] only git’s own requests are answered', async () => {
    const base = await remote();
    const status = async (path: string, method = 'GET') =>
      (await fetch(`${base}${path}`, { method })).status;
    expect(await status('/info/refs')).toBe(400);
    expect(await status('/info/refs?service=git-upload-archive')).toBe(400);
    expect(await status('/git-upload-pack')).toBe(405);
    expect(await status('/HEAD')).toBe(403);
    expect(await status('/objects/info/packs')).toBe(403);
    expect(await status('/info/refs?service=git-upload-pack', 'POST')).toBe(400);
  });
});
