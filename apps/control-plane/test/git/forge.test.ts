import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ShipFailure } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RateLimiter } from '../../src/git/forge/rate-limiter.ts';
import {
  connectForge,
  type Forge,
  parseWebhook,
  preflight,
  verifySignature,
} from '../../src/git/index.ts';
import { type FaultyProxy, faultyProxy } from './support/faulty-proxy.ts';
import { commit, git, repository, write } from './support/git.ts';
import { newWorld, type TestRepository, type World } from './support/world.ts';

const SECRET = 'webhook-secret';

const input = (branch: string) => ({ branch, base: 'main', title: 'T', body: 'B' });

const pushed = async (
  { person }: TestRepository,
  branch: string,
  files: Record<string, string>,
) => {
  await git(person, 'checkout', '-q', '-B', branch, 'main');
  const sha = await commit(person, files);
  await git(person, 'push', '-q', 'origin', branch);
  return sha;
};

const failure = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ShipFailure);
  return (error as ShipFailure).error;
};

describe('the forge through Octokit', { timeout: 60_000 }, () => {
  let world: World;
  let proxy: FaultyProxy;
  let hooks: Server;
  const deliveries: { event: string; body: Uint8Array<ArrayBuffer>; signature: string }[] = [];

  beforeAll(async () => {
    hooks = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        deliveries.push({
          event: String(request.headers['x-github-event']),
          body: new Uint8Array(Buffer.concat(chunks)),
          signature: String(request.headers['x-hub-signature-256']),
        });
        response.end();
      });
    }).listen(0, '127.0.0.1');
    await once(hooks, 'listening');
    const url = `http://127.0.0.1:${(hooks.address() as AddressInfo).port}/`;
    world = await newWorld({ webhooks: [{ url, secret: SECRET }] });
    proxy = await faultyProxy(world.server.apiUrl);
  }, 60_000);
  afterAll(async () => {
    await proxy.close();
    await world.close();
    hooks.close();
  });

  const faulty = (repo: TestRepository): Promise<Forge> =>
    connectForge(repo.url, { FORGE_API_URL: proxy.url, FORGE_GIT_URL: world.server.gitUrl });

  const openOnes = async ({ name }: TestRepository) => {
    const answer = await fetch(`${world.server.apiUrl}/repos/local/${name}/pulls`);
    return (await answer.json()) as unknown[];
  };

  it('[GF2] a pull request is opened as a draft, found again, marked ready, merged', async () => {
    const repo = await world.newRepository();
    const sha = await pushed(repo, 'work', { a: '1' });
    const opened = await repo.forge.openPullRequest(input('work'));
    expect(opened).toMatchObject({
      state: 'open',
      draft: true,
      head: 'work',
      base: 'main',
      headSha: sha,
    });
    expect((await repo.forge.openPullRequest(input('work'))).number).toBe(opened.number);
    expect((await failure(repo.forge.merge(opened.number, 'merge', 'f'.repeat(40)))).code).toBe(
      'not-mergeable',
    );
    expect((await repo.forge.markReady(opened.number)).draft).toBe(false);
    expect((await repo.forge.markReady(opened.number)).draft).toBe(false);
    expect((await repo.forge.merge(opened.number, 'squash', sha)).state).toBe('merged');
    expect((await repo.forge.merge(opened.number, 'squash', sha)).state).toBe('merged');
    expect((await repo.forge.findPullRequest('work'))?.state).toBe('merged');
  });

  it('[GF2] a pull request whose creation lost its answer is found, not opened twice', async () => {
    const repo = await world.newRepository();
    await pushed(repo, 'lost', { a: '1' });
    const forge = await faulty(repo);
    proxy.fault = (method, path) =>
      method === 'POST' && path.endsWith('/pulls') ? { loseAnswer: true } : undefined;
    expect(await forge.openPullRequest(input('lost'))).toMatchObject({
      head: 'lost',
      state: 'open',
    });
    proxy.fault = () => undefined;
    expect(await openOnes(repo)).toHaveLength(1);
  });

  it('[GF2] opened by another client after Ship looked for it, or by many at once: there is one', async () => {
    const repo = await world.newRepository();
    await pushed(repo, 'race', { b: '1' });
    const forge = await faulty(repo);
    let theirs: number | undefined;
    proxy.seen.length = 0;
    proxy.fault = (method, path) =>
      method === 'POST' && path.endsWith('/pulls')
        ? {
            first: async () => {
              theirs ??= (await repo.forge.openPullRequest(input('race'))).number;
            },
          }
        : undefined;
    expect(await forge.findPullRequest('race')).toBeNull();
    const ours = await forge.openPullRequest(input('race'));
    proxy.fault = () => undefined;
    expect(theirs).toBeDefined();
    expect(ours.number).toBe(theirs);
    expect(proxy.seen.filter((call) => call.startsWith('POST'))).toHaveLength(1);
    await pushed(repo, 'crowd', { c: '1' });
    const clients = await Promise.all(Array.from({ length: 6 }, () => faulty(repo)));
    const opened = await Promise.all(clients.map((one) => one.openPullRequest(input('crowd'))));
    expect(new Set(opened.map(({ number }) => number)).size).toBe(1);
    expect(await openOnes(repo)).toHaveLength(2);
  });

  it('[GF2] a forge without drafts gets an ordinary pull request', async () => {
    const repo = await world.newRepository();
    await pushed(repo, 'plain', { a: '1' });
    const forge = await faulty(repo);
    let posts = 0;
    proxy.fault = (method, path) =>
      method === 'POST' && path.endsWith('/pulls') && posts++ === 0
        ? {
            status: 422,
            body: { message: 'Validation Failed', errors: [{ message: 'no drafts' }] },
          }
        : undefined;
    expect(await forge.openPullRequest(input('plain'))).toMatchObject({
      state: 'open',
      draft: false,
    });
  });

  it('[GF3] a missing head, a missing base and no commits between: each has its error', async () => {
    const repo = await world.newRepository();
    expect((await failure(repo.forge.openPullRequest(input('nowhere')))).code).toBe(
      'pull-request-refused',
    );
    await git(repo.person, 'push', '-q', 'origin', 'main:same');
    expect((await failure(repo.forge.openPullRequest(input('same')))).code).toBe(
      'pull-request-refused',
    );
    await pushed(repo, 'work', { a: '1' });
    const gone = repo.forge.openPullRequest({ ...input('work'), base: 'gone' });
    expect((await failure(gone)).code).toBe('base-missing');
  });

  it('[GF3] errors contain the forge’s reason: no commits, a draft, a folder with changes', async () => {
    const repo = await world.newRepository();
    await git(repo.person, 'push', '-q', 'origin', 'main:same');
    const same = await failure(repo.forge.openPullRequest(input('same')));
    expect(same.message).toContain('No commits between main and same');
    expect(same.remedy).toContain('nothing to propose');
    const sha = await pushed(repo, 'draft', { a: '1' });
    const { number } = await repo.forge.openPullRequest(input('draft'));
    const draft = await failure(repo.forge.merge(number, 'merge', sha));
    expect(draft.message).toContain('still a draft');
    expect(draft.remedy).toContain('ready for review');

    const folder = await repository(join(world.folder, 'dirty'));
    const bindings = { FORGE_API_URL: world.server.apiUrl, FORGE_GIT_URL: world.server.gitUrl };
    const own = await connectForge(folder, bindings);
    await git(folder, 'branch', 'work');
    await git(folder, 'switch', '-q', 'work');
    const head = await commit(folder, { b: '1' });
    await git(folder, 'switch', '-q', 'main');
    await write(folder, { 'README.md': 'not committed' });
    const opened = await own.openPullRequest(input('work'));
    await own.markReady(opened.number);
    const dirty = await failure(own.merge(opened.number, 'merge', head));
    expect(dirty.message).toContain('has uncommitted changes');
    expect(dirty.remedy).toContain('in that folder');
    expect(dirty.remedy).not.toContain('conflict');
  });

  it('[GF3] missing rights, archives and single sign-on are not reported as a wrong token', async () => {
    const repo = await world.newRepository();
    const forge = await faulty(repo);
    const said = async (message: string) => {
      proxy.fault = () => ({ status: 403, body: { message } });
      const error = await failure(forge.repository());
      proxy.fault = () => undefined;
      return error;
    };
    const rights = 'Resource not accessible by personal access token';
    expect(await said(rights)).toMatchObject({ code: 'forbidden' });
    expect((await said(rights)).message).toContain(rights);
    expect((await said('Repository was archived so is read-only.')).code).toBe(
      'repository-archived',
    );
    expect((await said('Resource protected by organization SAML enforcement.')).remedy).toContain(
      'SSO',
    );
  });

  it('[GF3] a conflict with the base cannot be merged', async () => {
    const repo = await world.newRepository();
    const sha = await pushed(repo, 'work', { 'src/a.txt': 'x' });
    await git(repo.person, 'checkout', '-q', 'main');
    await commit(repo.person, { 'src/a.txt': 'y' });
    await git(repo.person, 'push', '-q', 'origin', 'main');
    const { number } = await repo.forge.openPullRequest(input('work'));
    await repo.forge.markReady(number);
    const error = await failure(repo.forge.merge(number, 'merge', sha));
    expect(error).toMatchObject({ code: 'not-mergeable', category: 'user-action' });
  });

  it('[GF4] short rate limits are waited for, long ones are reported', async () => {
    const repo = await world.newRepository();
    const forge = await faulty(repo);
    let asked = 0;
    proxy.fault = () =>
      asked++ === 0 ? { status: 403, headers: { 'retry-after': '1' } } : undefined;
    expect((await forge.repository()).defaultBranch).toBe('main');
    proxy.fault = () => ({ status: 429, headers: { 'retry-after': '3600' } });
    expect(await failure(forge.repository())).toMatchObject({
      code: 'rate-limited',
      category: 'transient',
    });
    asked = 0;
    proxy.fault = () => (asked++ < 2 ? { status: 502 } : undefined);
    expect((await forge.repository()).defaultBranch).toBe('main');
    proxy.fault = () => undefined;
  });

  it('[GF4] writes are sent one after another, a second apart; reads do not wait', async () => {
    let nowMs = 10_000;
    const slept: number[] = [];
    const limiter = new RateLimiter({
      isPaced: true,
      now: () => nowMs,
      sleep: async (ms) => {
        slept.push(ms);
        nowMs += ms;
      },
    });
    const order: string[] = [];
    const send = (name: string) => async () => {
      order.push(`${name} starts`);
      await Promise.resolve();
      order.push(`${name} ends`);
    };
    await Promise.all([
      limiter.run({ method: 'POST' }, send('a')),
      limiter.run({ method: 'PATCH' }, send('b')),
      limiter.run({ method: 'GET' }, send('read')),
    ]);
    expect(order.indexOf('a ends')).toBeLessThan(order.indexOf('b starts'));
    expect(order.indexOf('read starts')).toBeLessThan(order.indexOf('b starts'));
    expect(slept).toEqual([1_000]);
    // A failed write does not block the next.
    await expect(
      limiter.run({ method: 'POST' }, () => Promise.reject(new Error('x'))),
    ).rejects.toThrow('x');
    await limiter.run({ method: 'POST' }, send('c'));
    expect(order.at(-1)).toBe('c ends');
  });

  it('[GF5] a folder of this machine is a repository of the local forge, once', async () => {
    const folder = await repository(join(world.folder, 'my app'));
    const bindings = { FORGE_API_URL: world.server.apiUrl, FORGE_GIT_URL: world.server.gitUrl };
    const first = await connectForge(folder, bindings);
    const second = await connectForge(folder, bindings);
    expect([first.owner, first.name]).toEqual([second.owner, second.name]);
    expect(await first.refSha('heads/main')).toMatch(/^[0-9a-f]{40}$/);
    expect(await preflight(first)).toBeUndefined();
    expect((await failure(connectForge('/nonexistent', bindings))).code).toBe('invalid-input');
  });

  it('[GD4] the forge’s comparison has the same shape as the sandbox’s', async () => {
    const repo = await world.newRepository();
    const base = await git(repo.person, 'rev-parse', 'main');
    await git(repo.person, 'checkout', '-q', '-b', 'diffs');
    await git(repo.person, 'mv', 'src/a.txt', 'src/b.txt');
    await git(repo.person, 'commit', '-qm', 'move');
    const { writeFile } = await import('node:fs/promises');
    await writeFile(join(repo.person, 'bin'), Buffer.from([0, 1, 2, 0]));
    const head = await commit(repo.person, { 'README.md': '# app\nmore\n', empty: '' });
    await git(repo.person, 'push', '-q', 'origin', 'diffs');
    const seen = await repo.forge.compare(base, head);
    const { commitDiff } = await import('../../src/git/index.ts');
    const { localShell } = await import('./support/local-shell.ts');
    const own = await commitDiff(localShell, repo.person, base, head);
    expect(seen.files).toEqual(own.files);
    expect(seen).toMatchObject({ source: 'forge', additions: 1, deletions: 0, truncated: false });
    expect(own.files.map(({ path, status, omitted }) => [path, status, omitted])).toEqual([
      ['README.md', 'modified', null],
      ['bin', 'added', 'binary'],
      ['empty', 'added', null],
      ['src/b.txt', 'renamed', null],
    ]);
  });

  it('[GF7] reads the checks of a commit', async () => {
    const repo = await world.newRepository();
    const sha = await git(repo.person, 'rev-parse', 'main');
    expect(await repo.forge.checks(sha)).toEqual({ state: 'none', failed: [] });
    const say = (context: string, state: string) =>
      fetch(`${world.server.apiUrl}/repos/local/${repo.name}/statuses/${sha}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ context, state }),
      });
    await say('unit', 'pending');
    expect((await repo.forge.checks(sha)).state).toBe('pending');
    await say('unit', 'success');
    expect((await repo.forge.checks(sha)).state).toBe('passed');
    await say('lint', 'failure');
    expect(await repo.forge.checks(sha)).toEqual({ state: 'failed', failed: ['lint'] });
  });

  it('[GF8] webhook deliveries are verified by their bytes and parsed', async () => {
    const repo = await world.newRepository();
    const sha = await pushed(repo, 'hooked', { a: '1' });
    const { number } = await repo.forge.openPullRequest(input('hooked'));
    await repo.forge.close(number);
    await git(repo.person, 'push', '-q', 'origin', ':hooked');
    const name = `local/${repo.name}`;
    const news = () =>
      deliveries
        .map(({ event, body }) => parseWebhook(event, JSON.parse(new TextDecoder().decode(body))))
        .filter((one) => one?.repository === name);
    await expect.poll(news, { timeout: 30_000 }).toEqual(
      expect.arrayContaining([
        { kind: 'push', repository: name, branch: 'hooked', sha },
        { kind: 'push', repository: name, branch: 'hooked', sha: null },
        expect.objectContaining({
          kind: 'pull-request',
          number,
          action: 'opened',
          state: 'open',
          draft: true,
          headSha: sha,
        }),
        expect.objectContaining({
          kind: 'pull-request',
          number,
          action: 'closed',
          state: 'closed',
        }),
      ]),
    );
    for (const { body, signature } of deliveries) {
      expect(await verifySignature(SECRET, body, signature)).toBe(true);
      expect(await verifySignature('other', body, signature)).toBe(false);
      expect(await verifySignature('', body, signature)).toBe(false);
      expect(await verifySignature(SECRET, new Uint8Array([...body, 32]), signature)).toBe(false);
      expect(await verifySignature(SECRET, body, null)).toBe(false);
      expect(await verifySignature(SECRET, body, signature.replace('sha256', 'sha1'))).toBe(false);
    }
    expect(parseWebhook('pull_request', { action: 'opened' })).toBeUndefined();
    expect(parseWebhook('issues', {})).toBeUndefined();
    expect(
      parseWebhook('push', {
        repository: { full_name: name },
        ref: 'refs/tags/v1',
        after: sha,
        deleted: false,
      }),
    ).toBeUndefined();
    expect(
      parseWebhook('check_run', {
        repository: { full_name: name },
        check_run: { name: 'ci', head_sha: sha, status: 'completed', conclusion: 'timed_out' },
      }),
    ).toEqual({ kind: 'check', repository: name, name: 'ci', headSha: sha, result: 'failed' });
  });
});
