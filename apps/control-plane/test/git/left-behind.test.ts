/** Ship’s refs in a folder of the user after a session: after a merge, a deletion, and a crash meanwhile. */
import { join } from 'node:path';
import type { HistoryPage, SessionReceipt, SessionView } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectForge, tidyBranch, tidySession } from '../../src/git/index.ts';
import { commit, git, repository, write as writeFiles } from './support/git.ts';
import { deliver, sharedWorld, started } from './support/session-steps.ts';
import { type Whole, startWhole } from './support/whole.ts';

const refsOf = (folder: string) => git(folder, 'for-each-ref', '--format=%(refname) %(objectname)');
const namesOf = async (folder: string) =>
  (await refsOf(folder)).split('\n').map((line) => line.split(' ')[0] ?? '');

const isDelivered = ({ state, summary }: SessionView) =>
  state.activity.status === 'idle' && state.queue.length === 0 && summary.pullRequest !== null;

describe('[GW24] a session over the API', { timeout: 180_000 }, () => {
  let whole: Whole;
  let person: string;

  beforeAll(async () => {
    const steps = [
      { calls: [{ tool: 'write', input: { filePath: '{{folder}}/{{match.1}}', content: 'x\n' } }] },
      { say: 'Done.' },
    ];
    whole = await startWhole([{ name: 'make', when: { prompt: { regex: 'make (\\S+)' } }, steps }]);
    person = await repository(join(whole.data, 'left-app'));
  }, 180_000);

  afterAll(() => whole.close(), 60_000);

  const plain = () => ({ requestId: whole.requestId() });
  const task = async (prompt: string) => {
    const body = { ...plain(), repository: person, prompt };
    const { sessionId } = await whole.json<SessionReceipt>('POST', '/sessions', body);
    const { state } = await whole.until(sessionId, isDelivered);
    return { sessionId, branch: state.git.branch ?? '' };
  };

  it('[GW24] leaves no ref after a merge or after its deletion', async () => {
    const before = await namesOf(person);
    const { sessionId, branch } = await task('make merged.txt');
    // While the pull request is open, its branch is the only ref.
    expect(await namesOf(person)).toEqual([...before, `refs/heads/${branch}`].toSorted());
    const path = `/sessions/${sessionId}`;
    await whole.json('POST', `${path}/pull-request/ready`, plain());
    const { state } = await whole.view(sessionId);
    const headSha = state.git.pushedSha;
    await whole.json('POST', `${path}/pull-request/merge`, {
      ...plain(),
      method: 'squash',
      headSha,
    });
    expect(await namesOf(person)).toEqual(before);
    expect(await git(person, 'show', 'main:merged.txt')).toBe('x');
    const { events } = await whole.json<HistoryPage>('GET', `${path}/history?limit=500`);
    expect(events.find(({ type }) => type === 'branch.deleted')?.data).toEqual({
      branch,
      reason: 'merged',
    });
    expect((await whole.ask('DELETE', path)).ok).toBe(true);
    await vi.waitFor(async () => expect((await whole.ask('GET', path)).status).toBe(404), {
      timeout: 120_000,
      interval: 300,
    });
    expect(await namesOf(person)).toEqual(before);
    const forge = await whole.octokit.git.listMatchingRefs({
      owner: 'local',
      repo: 'left-app',
      ref: 'ship',
    });
    expect(forge.data).toEqual([]);
  });

  it('[GW24] the setting decides whether a deleted session keeps the branch of its open pull request', async () => {
    const before = await namesOf(person);
    const kept = await task('make kept.txt');
    const gone = async (sessionId: string) => {
      await whole.ask('DELETE', `/sessions/${sessionId}`);
      await vi.waitFor(
        async () => expect((await whole.ask('GET', `/sessions/${sessionId}`)).status).toBe(404),
        { timeout: 120_000, interval: 300 },
      );
    };
    await gone(kept.sessionId);
    const withKept = [...before, `refs/heads/${kept.branch}`].toSorted();
    expect(await namesOf(person)).toEqual(withKept);
    await whole.json('PATCH', '/settings', { branches: { delete: 'ended' } });
    const ended = await task('make ended.txt');
    await gone(ended.sessionId);
    expect(await namesOf(person)).toEqual(withKept);
  });
});

describe('[GW24] a folder of this machine', { timeout: 60_000 }, () => {
  const world = sharedWorld();

  const merged = async (name: string) => {
    const folder = await repository(join(world.folder, name));
    const bindings = { FORGE_API_URL: world.server.apiUrl, FORGE_GIT_URL: world.server.gitUrl };
    const forge = await connectForge(folder, bindings);
    const repo = await world.newRepository();
    const session = repo.session();
    const url = `${world.server.gitUrl}/${forge.owner}/${forge.name}.git`;
    const own = session.on(forge, url);
    await started(own);
    await writeFiles(own.folder, { 'work.txt': '1\n' });
    await deliver(own);
    const number = own.git.pullRequest?.number ?? 0;
    await forge.markReady(number);
    await forge.merge(number, 'merge', own.git.pushedSha ?? '');
    own.git = {
      ...own.git,
      pullRequest: own.git.pullRequest && { ...own.git.pullRequest, state: 'merged' },
    };
    return { folder, session: own, number };
  };

  it('the next attempt finishes an interrupted deletion, and can be repeated', async () => {
    const { folder, session } = await merged('cut-off');
    const { deps, branch } = session;
    // The forge deleted the branch, but its answer was lost.
    await deps.forge.deleteRef(`heads/${branch}`);
    const events = await tidyBranch(deps, 'merged', { isEnded: false });
    expect(events.map(({ type }) => type)).toEqual(['branch.deleted']);
    session.record(events);
    expect(await tidySession(session.deps, deps.session.sessionId, 'ended')).toEqual([]);
    expect(await namesOf(folder)).toEqual(['refs/heads/main']);
  });

  it('a branch that a person moved or checked out stays', async () => {
    const { folder, session } = await merged('moved');
    const { deps, branch } = session;
    await git(folder, 'switch', '-q', branch);
    expect(await tidyBranch(deps, 'merged', { isEnded: false })).toEqual([]);
    await commit(folder, { 'own.txt': '1\n' }, 'by a person');
    await git(folder, 'switch', '-q', 'main');
    expect(await tidyBranch(deps, 'merged', { isEnded: false })).toEqual([]);
    expect(await namesOf(folder)).toContain(`refs/heads/${branch}`);
  });
});
