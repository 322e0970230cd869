/** Errors where the forge has rules: protected branches, required reviews, repositories without write access. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createId } from '@ship/protocol';
import { join } from 'node:path';
import {
  connectForge,
  deliverTurn,
  markReady,
  mergePullRequest,
  preflight,
  prepareRepository,
} from '../../src/git/index.ts';
import { git, repository, write } from './support/git.ts';
import { localShell } from './support/local-shell.ts';
import { newWorld, people, TestSession, turn, type World } from './support/world.ts';

const ADA = 'token-of-ada-0001';
const GRACE = 'token-of-grace-02';
const READER = 'token-of-reader-3';

const deliver = async (session: TestSession) => {
  const delivery = await deliverTurn(session.deps, turn());
  return { ...delivery, types: session.record(delivery.events) };
};

describe('rules of the forge', { timeout: 60_000 }, () => {
  let world: World;
  let url: string;
  let person: string;

  beforeAll(async () => {
    world = await newWorld({
      tokens: [
        { token: ADA, login: 'ada' },
        { token: GRACE, login: 'grace' },
        { token: READER, login: 'eve', access: 'read' },
      ],
    });
    await ask(ADA, 'POST', '/user/repos', { name: 'app' });
    url = `${world.server.gitUrl}/ada/app.git`;
    person = await repository(join(world.folder, 'person'));
    await git(person, 'remote', 'add', 'origin', as(ADA));
    await git(person, 'push', '-q', 'origin', 'main');
    await protect('main');
  }, 60_000);
  afterAll(() => world.close());

  const as = (token: string) => url.replace('http://', `http://x:${token}@`);
  const ask = async (token: string, method: string, path: string, body: unknown) => {
    const answer = await fetch(`${world.server.apiUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
  };
  const protect = (branch: string) =>
    ask(ADA, 'PUT', `/repos/ada/app/branches/${branch}/protection`, {
      required_status_checks: null,
      enforce_admins: true,
      required_pull_request_reviews: { required_approving_review_count: 1 },
      restrictions: null,
    });
  const connected = (token: string) =>
    connectForge(url, {
      FORGE_API_URL: world.server.apiUrl,
      FORGE_GIT_URL: world.server.gitUrl,
      FORGE_TOKEN: token,
    });
  let sandboxes = 0;
  const started = async (token: string, branch: string | null = null) => {
    const session = new TestSession({
      shell: localShell,
      folder: join(world.folder, `sandbox-${sandboxes++}`),
      forge: await connected(token),
      remoteFor: async () => as(token),
      session: {
        sessionId: createId('ses'),
        title: 'Fix it',
        createdAtMs: Date.now(),
        cardId: null,
        base: null,
        branch,
      },
      people,
    });
    session.record(await prepareRepository(session.deps));
    await write(session.folder, { 'new.txt': `${sandboxes}\n` });
    return session;
  };
  it('[GW22] a protected base: the pull request is opened, and its merge requires the review', async () => {
    const session = await started(ADA);
    const { types, problem } = await deliver(session);
    expect(problem).toBeNull();
    expect(types).toEqual(['commit.made', 'branch.pushed', 'pull-request.opened']);
    session.record(await markReady(session.deps));
    const { git: state, deps } = session;
    const merge = () => mergePullRequest(deps, 'merge', state.headSha ?? '');
    await expect(merge()).rejects.toMatchObject({
      error: {
        code: 'not-mergeable',
        category: 'user-action',
        message: expect.stringContaining('approving review is required') as string,
        remedy: expect.stringContaining('Get the review') as string,
      },
    });
    await ask(GRACE, 'POST', `/repos/ada/app/pulls/${state.pullRequest?.number}/reviews`, {
      event: 'APPROVE',
    });
    expect(session.record(await merge())).toEqual(['pull-request.state-changed']);
  });

  it('[GW22] a protected branch as the session’s branch: the error has a remedy, and nothing is lost', async () => {
    const session = await started(ADA, 'later');
    await ask(ADA, 'POST', '/repos/ada/app/git/refs', {
      ref: 'refs/heads/later',
      sha: await git(person, 'rev-parse', 'main'),
    });
    await protect('later');
    const { types, problem } = await deliver(session);
    expect(types).toEqual(['commit.made']);
    expect(problem).toMatchObject({ code: 'push-refused', category: 'user-action' });
    expect(problem?.message).toContain('later is protected');
    expect(problem?.remedy).toContain('another branch name');
  });

  it('[GF10] no right to push upstream: reported before the work begins, with a fork as the remedy', async () => {
    const refused = await preflight(await connected(READER));
    expect(refused).toMatchObject({ code: 'push-refused', category: 'user-action' });
    expect(refused?.remedy).toContain('a fork');
    const session = await started(READER);
    const { types, problem } = await deliver(session);
    expect(types).toEqual(['commit.made']);
    expect(problem).toMatchObject({ code: 'push-refused' });
    expect(problem?.remedy).toContain('a fork');
  });
});
