import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectForge, gatewayRemotes, preflight, prepareRepository } from '../../src/git/index.ts';
import { type RunningControlPlane, SECRET, startControlPlane } from './support/control-plane.ts';
import { git, write } from './support/git.ts';
import { deliver, sharedWorld, started } from './support/session-steps.ts';
import { TestSession, type TestRepository } from './support/world.ts';

describe('a repository that is renamed', { timeout: 60_000 }, () => {
  const world = sharedWorld();
  let plane: RunningControlPlane;

  beforeAll(async () => {
    plane = await startControlPlane(world.folder, { ...world.server, token: 'any' });
  }, 60_000);

  afterAll(() => plane.stop());

  const rename = async (from: string, name: string) => {
    const body = JSON.stringify({ name });
    const headers = { 'content-type': 'application/json' };
    const url = `${world.server.apiUrl}/repos/local/${from}`;
    expect((await fetch(url, { method: 'PATCH', headers, body })).status).toBe(200);
  };

  /** Connects as the session's Durable Object does, with the recorded name. */
  const throughGateway = async (repo: TestRepository, movedTo: string | null = null) => {
    const { apiUrl, gitUrl } = world.server;
    const bindings = { FORGE_API_URL: apiUrl, FORGE_GIT_URL: gitUrl };
    const forge = await connectForge(repo.url, bindings, undefined, movedTo);
    const holder = await plane.holder();
    const remotes = { secret: SECRET, door: plane.url, forge, ...holder, now: Date.now };
    const { deps } = repo.session();
    return new TestSession({ ...deps, forge, remoteFor: gatewayRemotes(remotes) });
  };

  it('[RM2] renamed before a session: cloned, delivered, and the new name is recorded once', async () => {
    const repo = await world.newRepository();
    await rename(repo.name, 'early');
    const session = await throughGateway(repo);
    expect(await preflight(session.deps.forge)).toBeUndefined();
    expect(session.record(await prepareRepository(session.deps))).toEqual([
      'repository.moved',
      'branch.made',
    ]);
    expect(session.git.movedTo).toBe('local/early');
    await write(session.folder, { a: '1' });
    const { types, problem } = await deliver(session);
    expect(problem).toBeNull();
    expect(types).toEqual(['commit.made', 'branch.pushed', 'pull-request.opened']);
    expect(session.git.pullRequest?.url).toContain('/local/early/pull/1');
    // The next instance of the object starts with the recorded name.
    const later = await throughGateway(repo, session.git.movedTo);
    expect(later.deps.forge).toMatchObject({
      owner: 'local',
      name: 'early',
      movedTo: 'local/early',
    });
  });

  it('[RM2] renamed while a session works: the push succeeds and records the new name', async () => {
    const repo = await world.newRepository();
    const session = await started(await throughGateway(repo));
    await write(session.folder, { a: '1' });
    await deliver(session);
    await rename(repo.name, 'late');
    await write(session.folder, { b: '1' });
    const { types, problem } = await deliver(session);
    expect(problem).toBeNull();
    expect(types).toEqual([
      'commit.made',
      'branch.pushed',
      'pull-request.updated',
      'repository.moved',
    ]);
    expect(session.git.movedTo).toBe('local/late');
    await rename('late', repo.name);
    await write(session.folder, { c: '1' });
    expect((await deliver(session)).types).toContain('repository.moved');
    expect(session.git.movedTo).toBeNull();
  });

  it('[RM3] the gateway redirects git from the old name in its capability to the new one', async () => {
    const repo = await world.newRepository();
    const remote = await (await throughGateway(repo)).deps.remoteFor('x');
    await rename(repo.name, 'inside');
    for (const _ of [1, 2])
      expect(await git('/', 'ls-remote', remote, 'main')).toContain('refs/heads/main');
    await rename('inside', 'further');
    expect(await git('/', 'ls-remote', remote, 'main')).toContain('refs/heads/main');
  });
});
