import { join } from 'node:path';
import { SessionView } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FORGE_TOKEN } from '../support/world-parts.ts';
import { WholeWorld } from '../support/whole-world.ts';
import { commit, git } from './support/git.ts';

const MINUTE_MS = 60_000;
/** Longer than reading the pull request takes. */
const SLOW_TEST_S = 6;

const RULES = [
  {
    name: 'add',
    when: { prompt: { regex: '^Write the sum' } },
    steps: [
      { calls: [{ tool: 'write', input: { filePath: '{{folder}}/sum', content: '1 + 2\n' } }] },
      { say: 'Done.' },
    ],
  },
  {
    name: 'slow',
    when: { prompt: { regex: '^Take your time' } },
    steps: [
      { calls: [{ tool: 'bash', input: { command: 'sleep 10; echo 1 > ours.txt' } }] },
      { say: 'Done.' },
    ],
  },
];

const push = async (person: string, files: Record<string, string>) => {
  const sha = await commit(person, files, 'by a person');
  await git(person, 'push', '-q');
  return sha;
};

/** Uses the real control plane, sandbox, agent and forge; the person uses plain git. */
describe('a person pushes to the branch of a session', { timeout: 6 * MINUTE_MS }, () => {
  let world: WholeWorld;
  beforeAll(async () => {
    world = await WholeWorld.open(RULES);
  }, 3 * MINUTE_MS);
  afterAll(() => world.close(), MINUTE_MS);

  const view = async (sessionId: string) =>
    SessionView.parse(await (await world.call('GET', `/api/sessions/${sessionId}`)).json());
  const until = <Value>(look: () => Promise<Value>) =>
    vi.waitFor(look, { timeout: 2 * MINUTE_MS, interval: 200 });
  const eventTypes = async (sessionId: string) =>
    (await world.events(sessionId)).map(({ type }) => type);

  /** A session whose work is tested and delivered, and a person’s clone of its branch from the forge. */
  const delivered = async (name: string) => {
    const repository = join(world.folder, name);
    await git(world.folder, 'init', '-q', '-b', 'main', name);
    const test = `if [ -f slow ]; then sleep ${SLOW_TEST_S}; fi; test "$(cat sum)" = '1 + 2'\n`;
    await commit(repository, { '.ship/verify.sh': test }, 'first');
    const sessionId = await world.newSession(repository, 'Write the sum');
    const state = await world.rest(sessionId);
    expect(state.verification.after).toMatchObject({
      verdict: 'passed',
      commit: state.git.pushedSha,
    });
    expect((await view(sessionId)).evidence).toEqual({
      commit: state.git.pushedSha,
      headSha: state.git.pushedSha,
      stale: false,
    });
    const [, path = ''] =
      /\/([^/]+\/[^/]+)\/pull\/\d+$/.exec(state.git.pullRequest?.url ?? '') ?? [];
    const url = new URL(`${world.parts.forge.gitUrl}/${path}.git`);
    url.username = 'ada';
    url.password = FORGE_TOKEN;
    const person = join(world.folder, `person-${name}`);
    await git(world.folder, 'clone', '-q', '-b', state.git.branch ?? '', url.href, person);
    return { sessionId, state, person };
  };
  it('[VF13] the tests run again on that commit; until then the API and the pull request show stale evidence', async () => {
    const { sessionId, state, person } = await delivered('pushed-to');
    const before = state.git.pushedSha ?? '';
    const sha = await push(person, { sum: '1 - 2\n', slow: '' });
    const { evidence } = await until(async () => {
      const seen = await view(sessionId);
      expect(seen.evidence?.headSha).toBe(sha);
      return seen;
    });
    expect(evidence).toEqual({ commit: before, headSha: sha, stale: true });
    await until(async () =>
      expect(await world.pullRequestBody(state)).toContain(
        `**Stale:** the branch is at \`${sha.slice(0, 9)}\` now`,
      ),
    );
    expect(await world.pullRequestBody(state)).toContain(`passed on \`${before.slice(0, 9)}\``);
    const done = await until(async () => {
      const seen = await view(sessionId);
      expect(seen.evidence).toEqual({ commit: sha, headSha: sha, stale: false });
      return seen.state;
    });
    expect(done.verification.after).toMatchObject({ verdict: 'failed', commit: sha });
    await until(async () => {
      const body = await world.pullRequestBody(state);
      expect(body).toContain(`failed on \`${sha.slice(0, 9)}\``);
      expect(body).not.toContain('**Stale:**');
    });
    // The branch is at the person's commit: Ship added nothing.
    expect(await git(person, 'ls-remote', 'origin', state.git.branch ?? '')).toContain(sha);
    expect(done.turnsFinished).toBe(1);
    // A later commit that fixes the tests is tested too.
    const again = await push(person, { sum: '1 + 2\n' });
    await until(async () => {
      const { verification } = await world.state(sessionId);
      expect(verification.after).toMatchObject({ verdict: 'passed', commit: again });
    });
  });

  it('[VF13] the tests wake a frozen sandbox, which is not frozen again before they have run', async () => {
    // Set before the session: it reads the setting when it schedules its idle pause, not during it.
    await world.call('PATCH', '/api/settings', { idle: { pauseAfterMs: 2_000 } });
    const { sessionId, person } = await delivered('frozen');
    await until(async () => expect((await world.state(sessionId)).sandbox.status).toBe('frozen'));
    const sha = await push(person, { slow: '' });
    await until(async () => {
      const { verification } = await world.state(sessionId);
      expect(verification.after).toMatchObject({ verdict: 'passed', commit: sha });
    });
    const types = await eventTypes(sessionId);
    const woken = types.slice(types.indexOf('branch.moved-outside'));
    const tested = woken.lastIndexOf('verification.committed');
    expect(woken.slice(0, tested)).toContain('sandbox.resumed');
    expect(woken.slice(0, tested)).not.toContain('sandbox.frozen');
  });

  it('[VF13] a sandbox that a person paused stays paused: the evidence is stale until the next prompt', async () => {
    await world.call('PATCH', '/api/settings', { idle: { pauseAfterMs: 5 * MINUTE_MS } });
    const { sessionId, state, person } = await delivered('paused');
    const requestId = `pause-${crypto.randomUUID()}`;
    await world.call('POST', `/api/sessions/${sessionId}/sandbox/pause`, { requestId });
    const sha = await push(person, { 'more.txt': '1\n' });
    await until(async () =>
      expect(await world.pullRequestBody(state)).toContain(`at \`${sha.slice(0, 9)}\` now`),
    );
    const seen = await view(sessionId);
    expect(seen.evidence).toMatchObject({ headSha: sha, stale: true });
    expect(seen.state.sandbox).toMatchObject({ status: 'frozen', byPerson: true });
  });

  it('[VF13] a push while the agent works is merged in, and the merge is tested', async () => {
    const { sessionId, state, person } = await delivered('meanwhile');
    const body = { requestId: `more-${crypto.randomUUID()}`, text: 'Take your time' };
    await world.call('POST', `/api/sessions/${sessionId}/prompts`, body);
    await until(async () =>
      expect((await world.state(sessionId)).agent.turn?.runningTools).toHaveLength(1),
    );
    await push(person, { 'theirs.txt': '1\n' });
    const { evidence } = await until(async () => {
      const seen = await view(sessionId);
      expect(seen.state.turnsFinished).toBe(2);
      expect(seen.evidence).toMatchObject({ stale: false, commit: seen.state.git.pushedSha });
      return seen;
    });
    await git(person, 'pull', '-q');
    expect(await git(person, 'rev-parse', 'HEAD')).toBe(evidence?.commit);
    expect(await git(person, 'ls-tree', '--name-only', 'HEAD')).toMatch(/ours.txt[^]*theirs.txt/);
    expect(evidence?.commit).not.toBe(state.git.pushedSha);
  });
});
