import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forgeFor } from '../../src/git/forge/address.ts';
import { connectForge, deliverTurn, preflight, prepareRepository } from '../../src/git/index.ts';
import { git, repository, write } from './support/git.ts';
import { localShell } from './support/local-shell.ts';
import { newWorld, people, TestSession, turn, type World } from './support/world.ts';
import { join } from 'node:path';
import { createId } from '@ship/protocol';

const local = {
  FORGE_API_URL: 'http://127.0.0.1:1/',
  FORGE_GIT_URL: 'http://127.0.0.1:2/',
  FORGE_TOKEN: 'f',
};

describe('choice of the forge', () => {
  it.each([
    ['https://github.com/ada/app', { kind: 'github', owner: 'ada', name: 'app' }],
    ['https://github.com/ada/app.git', { kind: 'github', owner: 'ada', name: 'app' }],
    ['https://github.com/ada/app.js/', { kind: 'github', owner: 'ada', name: 'app.js' }],
    ['git@github.com:ada/app.git', { kind: 'github', owner: 'ada', name: 'app' }],
    ['ssh://git@github.com/ada/app', { kind: 'github', owner: 'ada', name: 'app' }],
    ['http://127.0.0.1:2/ada/app.git', { kind: 'local', owner: 'ada', name: 'app' }],
  ])('[GF9] %s', (location, { kind, ...named }) => {
    const target = forgeFor(location, { ...local, GITHUB_TOKEN: 'g' });
    expect(target).toMatchObject({
      address: { kind, token: kind === 'github' ? 'g' : 'f' },
      repository: named,
    });
  });

  it('[GF9] a folder, and a self-hosted server', () => {
    expect(forgeFor('/home/me/app', local)).toMatchObject({
      address: { kind: 'local', apiUrl: 'http://127.0.0.1:1' },
      folder: '/home/me/app',
    });
    const own = { GITHUB_URL: 'https://git.example.com/', GITHUB_TOKEN: 't' };
    expect(forgeFor('git@git.example.com:a/b.git', own)).toMatchObject({
      address: { apiUrl: 'https://git.example.com/api/v3', gitUrl: 'https://git.example.com' },
      repository: { owner: 'a', name: 'b' },
    });
  });

  it.each([
    'https://evil.example/ada/app',
    'https://github.com.evil.example/ada/app',
    'https://github.com/ada',
    'https://github.com/ada/app/tree/main',
    'https://github.com/../app',
    'ssh://evil@127.0.0.1/x',
    'nonsense',
  ])('[GF9] %s is not supported', (location) => {
    expect(() => forgeFor(location, { ...local, GITHUB_TOKEN: 'g' })).toThrow(
      /No forge is configured/,
    );
  });

  it('[GF9] without a local forge a folder cannot be used', () => {
    expect(() => forgeFor('/home/me/app', {})).toThrow(/no local forge/);
  });
});

describe('credentials', { timeout: 60_000 }, () => {
  const TOKENS = {
    write: 'token-write-0001',
    read: 'token-read-00002',
    expired: 'token-expired-03',
  };
  let world: World;
  let url: string;
  let nowMs = Date.now();

  beforeAll(async () => {
    world = await newWorld({
      now: () => new Date(nowMs),
      tokens: [
        { token: TOKENS.write, login: 'ada', expiresAt: nowMs + 3_600_000 },
        { token: TOKENS.read, login: 'bob', access: 'read' },
        { token: TOKENS.expired, login: 'ada', expiresAt: 1 },
      ],
    });
    await fetch(`${world.server.apiUrl}/user/repos`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKENS.write}` },
      body: JSON.stringify({ name: 'app' }),
    });
    url = `${world.server.gitUrl}/ada/app.git`;
    const person = await repository(join(world.folder, 'person'));
    await git(person, 'push', '-q', url.replace('http://', `http://x:${TOKENS.write}@`), 'main');
  }, 60_000);
  afterAll(() => world.close());

  const forge = (token: string, location = url) =>
    connectForge(location, {
      FORGE_API_URL: world.server.apiUrl,
      FORGE_GIT_URL: world.server.gitUrl,
      FORGE_TOKEN: token,
    });

  it('[GF10] problems that would prevent a delivery are found before the work begins, with a remedy', async () => {
    expect(await preflight(await forge(TOKENS.write))).toBeUndefined();
    expect(await preflight(await forge(TOKENS.read))).toMatchObject({ code: 'push-refused' });
    const expired = await preflight(await forge(TOKENS.expired));
    expect(expired).toMatchObject({ code: 'credentials-refused', category: 'user-action' });
    expect(expired?.remedy).toContain('FORGE_TOKEN');
    // Settings have no control for the local forge's token.
    expect(expired?.action).toBeUndefined();
    expect(await preflight(await forge(TOKENS.write, url.replace('app', 'gone')))).toMatchObject({
      code: 'not-found',
    });
    expect(JSON.stringify(expired)).not.toContain(TOKENS.expired);
    const patch = (archived: boolean) =>
      fetch(`${world.server.apiUrl}/repos/ada/app`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKENS.write}` },
        body: JSON.stringify({ archived }),
      });
    await patch(true);
    expect(await preflight(await forge(TOKENS.write))).toMatchObject({
      code: 'repository-archived',
    });
    await patch(false);
  });

  it('[GF10] a token that expires mid-session: the commit stays, the problem is reported, and delivery continues with a new token', async () => {
    const session = new TestSession({
      shell: localShell,
      folder: join(world.folder, 'sandbox'),
      forge: await forge(TOKENS.write),
      remoteFor: async () => url.replace('http://', `http://x:${TOKENS.write}@`),
      session: {
        sessionId: createId('ses'),
        title: 'T',
        createdAtMs: 0,
        cardId: null,
        base: null,
        branch: null,
      },
      people,
    });
    session.record(await prepareRepository(session.deps));
    await write(session.folder, { a: '1' });
    nowMs += 7_200_000;
    const { events, problem } = await deliverTurn(session.deps, turn());
    expect(session.record(events)).toEqual(['commit.made']);
    expect(problem).toMatchObject({ code: 'credentials-refused' });
    expect(JSON.stringify([events, problem])).not.toContain(TOKENS.write);
    nowMs -= 7_200_000;
    const again = await deliverTurn(session.deps, turn());
    expect(again.events.map(({ type }) => type)).toEqual(['branch.pushed', 'pull-request.opened']);
  });
});
