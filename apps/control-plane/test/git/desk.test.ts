import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  Attachment,
  BaseUpdate,
  type Diff,
  type FolderListing,
  type FoundFiles,
  type HistoryPage,
  type PullRequestView,
  type SessionReceipt,
  type SessionView,
  TurnId,
} from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { LOCAL_TOKEN } from './support/control-plane.ts';
import { commit, git, repository } from './support/git.ts';
import { type Whole, startWhole } from './support/whole.ts';

const bash = (command: string) => ({ tool: 'bash', input: { command } });
const write = (path: string, content: string) => ({
  tool: 'write',
  input: { filePath: `{{folder}}/${path}`, content },
});
const done = { say: 'Done.' };
const RESOLVE =
  'git merge -q origin/main; printf "both\\n" > hello.txt; git add -A; git -c user.name=a -c user.email=a@b commit -qm merged';

const isIdle = ({ state, summary }: SessionView) =>
  state.activity.status === 'idle' && state.queue.length === 0 && summary.pullRequest !== null;

const paths = ({ files }: Diff) => files.map((file) => file.path).toSorted();

/** One session with the real agent, from its first turn to its merge: these tests depend on their order. */
describe('a session’s work over the API', { timeout: 180_000 }, () => {
  let whole: Whole;
  let person: string;
  let id: string;
  let path: string;

  beforeAll(async () => {
    whole = await startWhole([
      {
        name: 'hello',
        when: { prompt: 'say hello' },
        steps: [{ calls: [write('hello.txt', 'hello\n')] }, done],
      },
      {
        name: 'wait',
        when: { prompt: 'wait here' },
        steps: [{ calls: [bash('sleep 100')] }, done],
      },
      {
        name: 'attached',
        when: { prompt: 'the words of the file' },
        steps: [{ say: 'I read them.' }],
      },
      {
        name: 'resolve',
        when: { prompt: 'changed the same lines' },
        steps: [{ calls: [bash(RESOLVE)] }, done],
      },
    ]);
    person = await repository(join(whole.data, 'my-app'));
    id = await newSession('say hello');
    path = `/sessions/${id}`;
    await whole.until(id, isIdle);
  }, 180_000);

  afterAll(() => whole.close(), 60_000);

  const newSession = async (prompt: string, location = person) => {
    const body = { requestId: whole.requestId(), repository: location, prompt };
    return (await whole.json<SessionReceipt>('POST', '/sessions', body)).sessionId;
  };
  /** By the name that the forge uses. */
  const repo = async () => {
    const { url = '' } = (await whole.view(id)).state.git.pullRequest ?? {};
    const [, owner = '', name = ''] = /([^/]+)\/([^/]+)\/pull\//.exec(url) ?? [];
    return { owner, repo: name };
  };
  const plain = () => ({ requestId: whole.requestId() });
  const sandboxRun = async (command: string) => {
    const [sandboxId = ''] = await whole.port.findAll((await whole.view(id)).state.sessionId);
    const argv = ['bash', '-c', command] as const;
    const cwd = '/home/user/repository';
    const outcome = await whole.port.run(sandboxId, { argv, cwd, timeoutMs: 60_000 });
    expect(outcome.stderr).toBe('');
  };
  const diff = (query = '') => whole.json<Diff>('GET', `${path}/diff${query}`);
  const content = (file: string) =>
    whole.ask('GET', `${path}/files/content?path=${encodeURIComponent(file)}`);

  const search = (q: string) =>
    whole.json<FoundFiles>('GET', `${path}/files/search?q=${encodeURIComponent(q)}`);

  it('[CM3] a file attached to a prompt reaches the agent', async () => {
    const uploaded = await fetch(`${whole.url}/api${path}/attachments?filename=notes.md`, {
      method: 'POST',
      headers: { authorization: `Bearer ${LOCAL_TOKEN}`, 'content-type': 'text/html' },
      body: 'Mind the words of the file.\n',
    });
    const { name, mime } = Attachment.parse(await uploaded.json());
    expect(mime).toBe('text/plain');
    const attachments = [{ name, filename: 'notes.md' }];
    await whole.json('POST', `${path}/prompts`, { ...plain(), text: 'read it', attachments });
    const { state } = await whole.until(
      id,
      (seen) => isIdle(seen) && seen.state.turnsFinished === 2,
    );
    expect(state.current?.attachments?.[0]).toMatchObject({ filename: 'notes.md', sizeBytes: 28 });
    const { events } = await whole.json<HistoryPage>('GET', `${path}/history?limit=500`);
    const said = events.filter(({ type }) => type === 'text.finished');
    expect(JSON.stringify(said.at(-1)?.data)).toContain('I read them.');
  });

  it('[DK1] the diff includes uncommitted work; the diff of a turn has its commits only', async () => {
    const { state } = await whole.view(id);
    const turn = TurnId.parse(state.git.commits[0]?.turnId);
    await sandboxRun('echo draft > draft.txt');
    const all = await diff();
    expect(all).toMatchObject({ source: 'sandbox', fromSha: state.git.baseSha, toSha: null });
    expect(paths(all)).toEqual(['draft.txt', 'hello.txt']);
    const one = await diff(`?turn=${turn}`);
    expect(one).toMatchObject({ source: 'sandbox', toSha: state.git.headSha, additions: 1 });
    expect(paths(one)).toEqual(['hello.txt']);
    const unknown = `${turn.slice(0, -4)}0000`;
    expect(await whole.refused('GET', `${path}/diff?turn=${unknown}`)).toBe('not-found');
  });

  it('[RV1] the diff of the pull request has pushed commits only, not the work in progress', async () => {
    const { state } = await whole.view(id);
    const pushed = await whole.json<Diff>('GET', `${path}/pull-request/diff`);
    expect(pushed).toMatchObject({
      source: 'forge',
      fromSha: state.git.baseSha,
      toSha: state.git.pushedSha,
    });
    expect(paths(pushed)).toEqual(['hello.txt']);
  });

  it('[CM2] files are found by letters of their paths, except ignored ones', async () => {
    await sandboxRun('echo "*.log" > .gitignore && touch hello.log "a (b) [c].txt"');
    expect(await search('hll')).toEqual({ source: 'sandbox', paths: ['hello.txt'] });
    expect((await search('a(b)[')).paths).toEqual(['a (b) [c].txt']);
    expect((await search('nothing like it')).paths).toEqual([]);
    expect((await search('')).paths).toContain('README.md');
    await sandboxRun('rm .gitignore hello.log "a (b) [c].txt"');
  });

  it('[DK2] folders and files of the repository are shown, and nothing outside it', async () => {
    await sandboxRun(
      'mkdir -p "odd name" && ln -sf /etc/passwd out && ln -sf README.md in && mkfifo pipe && head -c 1100000 /dev/zero > large && printf "\\0\\1" > binary && ln -sfn .git metadata',
    );
    const root = await whole.json<FolderListing>('GET', `${path}/files`);
    expect(root).toMatchObject({ source: 'sandbox', path: '', truncated: false });
    expect(root.entries.slice(0, 2).map(({ name }) => name)).toEqual(['odd name', 'src']);
    expect(root.entries).toContainEqual({ name: 'hello.txt', kind: 'file', sizeBytes: 6 });
    expect(root.entries).toContainEqual({ name: 'out', kind: 'link', sizeBytes: null });
    expect(root.entries).toContainEqual({ name: 'pipe', kind: 'other', sizeBytes: null });
    expect(root.entries.map(({ name }) => name)).not.toContain('.git');
    const text = await content('in');
    expect(await text.text()).toBe('# app\n');
    expect(text.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(text.headers.get('content-security-policy')).toContain('sandbox');
    const binary = await content('binary');
    expect(new Uint8Array(await binary.arrayBuffer())).toEqual(new Uint8Array([0, 1]));
    expect(binary.headers.get('content-disposition')).toBe('attachment');
    expect((await content('large')).status).toBe(413);
    for (const file of ['out', 'pipe', 'src', 'metadata/config', 'none'])
      expect([file, (await content(file)).status]).toEqual([file, 404]);
    for (const file of ['../x', '/etc/passwd', '.git/config', 'a//b', ''])
      expect([file, (await content(file)).status]).toEqual([file, 400]);
    await sandboxRun('rm -rf "odd name" out in pipe large binary metadata');
  });

  it('[DK3] the pull request is shown with the forge’s state, and marked ready once', async () => {
    const before = await whole.json<PullRequestView>('GET', `${path}/pull-request`);
    expect(before.pullRequest).toMatchObject({ state: 'open', draft: true, mergeable: true });
    expect(before.checks).toEqual({ state: 'none', failed: [] });
    const body = plain();
    const ready = await whole.json<PullRequestView>('POST', `${path}/pull-request/ready`, body);
    expect(ready.pullRequest.draft).toBe(false);
    expect((await whole.view(id)).state.git.pullRequest?.draft).toBe(false);
    const { seq } = (await whole.view(id)).state;
    await whole.json('POST', `${path}/pull-request/ready`, body);
    expect((await whole.view(id)).state.seq).toBe(seq);
    expect(await whole.refused('POST', `${path}/update-from-base`, body)).toBe('request-id-reused');
  });

  it('[MR7] a person’s title and text stay, beside the generated part', async () => {
    const edit = { ...plain(), title: 'My own title', body: 'Read this first.' };
    const { pullRequest } = await whole.json<PullRequestView>(
      'PATCH',
      `${path}/pull-request`,
      edit,
    );
    expect(pullRequest.title).toBe('My own title');
    expect(pullRequest.body).toMatch(
      /^Read this first\.\n\n<!-- ship:start -->[^]+<!-- ship:end -->$/,
    );
    const later = { ...plain(), title: 'Another' };
    await whole.json('PATCH', `${path}/pull-request`, later);
    // Repeating the first request does not apply it again.
    const same = await whole.json<PullRequestView>('PATCH', `${path}/pull-request`, edit);
    expect(same.pullRequest).toMatchObject({ title: 'Another', body: pullRequest.body });
    for (const wrong of [{}, { title: '' }, { title: 'a\nb' }, { body: 'x'.repeat(30_001) }])
      expect(await whole.refused('PATCH', `${path}/pull-request`, { ...plain(), ...wrong })).toBe(
        'invalid-input',
      );
  });

  it('[DK4] while the agent works, neither the pull request nor the base can be merged', async () => {
    await whole.json('POST', `${path}/prompts`, { ...plain(), text: 'wait here' });
    const { state } = await whole.until(id, (seen) => seen.state.activity.status === 'working');
    const merge = { ...plain(), headSha: state.git.headSha };
    expect(await whole.refused('POST', `${path}/pull-request/merge`, merge)).toBe('session-busy');
    expect(await whole.refused('POST', `${path}/update-from-base`, plain())).toBe('session-busy');
    // A prompt that is stopped before its first answer would be answered in the next turn.
    await whole.until(id, (seen) => seen.state.agent.turn?.runningTools.length === 1);
    await whole.json('POST', `${path}/stop`, plain());
    await whole.until(id, (seen) => isIdle(seen) && seen.state.git.commitCount === 2);
  });

  it('[MR7] the person’s text also stays when a later turn updates the generated part', async () => {
    const { pullRequest } = await vi.waitFor(
      async () => {
        const view = await whole.json<PullRequestView>('GET', `${path}/pull-request`);
        expect(view.pullRequest.body).toContain('wait here');
        return view;
      },
      { timeout: 60_000, interval: 200 },
    );
    expect(pullRequest.title).toBe('Another');
    expect(pullRequest.body.startsWith('Read this first.\n\n<!-- ship:start -->')).toBe(true);
  });

  it('[DK5] the base is merged in on request; a conflict is a task for the agent', async () => {
    const update = async () =>
      BaseUpdate.parse(await whole.json('POST', `${path}/update-from-base`, plain()));
    await commit(person, { 'other.txt': 'other\n' }, 'other work');
    // The work of the stopped turn may still be on its way to the forge.
    const first = await vi.waitFor(update, { timeout: 60_000, interval: 200 });
    expect(first).toMatchObject({ outcome: 'merged', files: [] });
    expect(await update()).toMatchObject({ outcome: 'up-to-date' });
    expect(paths(await diff())).toEqual(['draft.txt', 'hello.txt']);
    await commit(person, { 'hello.txt': 'good day\n' }, 'another hello');
    expect(await update()).toMatchObject({ outcome: 'conflicted', files: ['hello.txt'] });
    await whole.until(id, (seen) => isIdle(seen) && seen.state.git.conflict === null);
    expect(await (await content('hello.txt')).text()).toBe('both\n');
  });

  it('[DK5] an update that the forge refuses fails with the reason, and is pushed later', async () => {
    const update = `${path}/update-from-base`;
    await commit(person, { 'late.txt': 'late\n' }, 'late work');
    await whole.octokit.repos.update({ ...(await repo()), archived: true });
    expect(await whole.refused('POST', update, plain())).toBe('repository-archived');
    await whole.octokit.repos.update({ ...(await repo()), archived: false });
    await whole.json('POST', update, plain());
    const { git: known } = (await whole.view(id)).state;
    expect(known.pushedSha).toBe(known.headSha);
  });

  it('[DK8] a pull request is closed without a merge', async () => {
    const closed = await whole.json<PullRequestView>('POST', `${path}/pull-request/close`, plain());
    expect(closed.pullRequest.state).toBe('closed');
    expect((await whole.view(id)).summary.pullRequest?.state).toBe('closed');
  });

  it('[FO2] changes at the forge arrive by its webhook and do not count as activity', async () => {
    const { state } = await whole.view(id);
    const { owner, repo: name } = await repo();
    const pull = { owner, repo: name, pull_number: state.git.pullRequest?.number ?? 0 };
    const { data } = await whole.octokit.pulls.get(pull);
    for (const wanted of ['open', 'closed', 'open'] as const) {
      await whole.octokit.pulls.update({ ...pull, state: wanted });
      const seen = await whole.until(id, (each) => each.state.git.pullRequest?.state === wanted);
      expect(seen.state.lastActiveAt).toBe(state.lastActiveAt);
    }
    const { data: made } = await whole.octokit.git.createCommit({
      owner,
      repo: name,
      message: 'by a person',
      tree: data.head.sha,
      parents: [data.head.sha],
    });
    await whole.octokit.git.updateRef({
      owner,
      repo: name,
      ref: `heads/${data.head.ref}`,
      sha: made.sha,
    });
    const moved = await whole.until(id, (seen) => seen.state.git.outside !== null);
    expect(moved.state.git.outside?.sha).toBe(made.sha);
  });

  it('[DK6] only the reviewed commit is merged; the user’s folder has it then', async () => {
    const { pullRequest } = await whole.json<PullRequestView>('GET', `${path}/pull-request`);
    const stale = (await whole.view(id)).state.git.pushedSha ?? '';
    expect(
      await whole.refused('POST', `${path}/pull-request/merge`, { ...plain(), headSha: stale }),
    ).toBe('not-mergeable');
    const status = { ...(await repo()), sha: pullRequest.headSha, context: 'ci' };
    await whole.octokit.repos.createCommitStatus({ ...status, state: 'success' });
    const url = `${path}/pull-request/merge`;
    const merged = await whole.json<PullRequestView>('POST', url, {
      ...plain(),
      method: 'merge',
      headSha: pullRequest.headSha,
    });
    expect(merged.pullRequest.state).toBe('merged');
    expect(merged.checks.state).toBe('passed');
    expect((await whole.view(id)).summary.pullRequest?.state).toBe('merged');
    expect(await git(person, 'show', 'main:hello.txt')).toBe('both');
  });

  it('[DK7] without a sandbox the pushed work is shown', async () => {
    // First the session does not know yet that its sandbox is gone; after the kill it does.
    const [sandboxId = ''] = await whole.port.findAll((await whole.view(id)).state.sessionId);
    await whole.port.destroy(sandboxId);
    expect((await diff()).source).toBe('forge');
    await whole.json('POST', `${path}/sandbox/kill`, plain());
    const { state } = await whole.view(id);
    const all = await diff();
    expect(all).toMatchObject({ source: 'forge', fromSha: state.git.baseSha });
    expect(paths(all)).toEqual(['draft.txt', 'hello.txt']);
    expect(paths(await diff(`?turn=${state.git.commits[0]?.turnId}`))).toEqual(['hello.txt']);
    expect(await search('hllo')).toEqual({ source: 'forge', paths: ['hello.txt'] });
    const root = await whole.json<FolderListing>('GET', `${path}/files`);
    expect(root).toMatchObject({ source: 'forge', truncated: false });
    expect(root.entries[0]).toEqual({ name: 'src', kind: 'folder', sizeBytes: null });
    const file = await content('src/a.txt');
    expect(file.headers.get('ship-source')).toBe('forge');
    expect(await file.text()).toBe(await readFile(join(person, 'src/a.txt'), 'utf8'));
    expect((await content('src/none')).status).toBe(404);
    expect(await whole.refused('POST', `${path}/update-from-base`, plain())).toBe('no-sandbox');
  });

  it('[FO3] a problem that would prevent a delivery stops the session before its work, with a remedy', async () => {
    await whole.octokit.repos.update({ ...(await repo()), archived: true });
    const other = await newSession('say hello');
    const { state: failed } = await whole.until(
      other,
      ({ summary }) => summary.status === 'failed',
    );
    const clone = failed.stages.find(({ stage }) => stage === 'clone');
    expect(clone?.error).toMatchObject({ code: 'repository-archived', category: 'user-action' });
    expect(clone?.error?.remedy).toContain('Unarchive');
    expect(failed.stages.map(({ stage }) => stage)).not.toContain('agent');
    expect(await whole.refused('GET', `/sessions/${other}/pull-request`)).toBe('no-pull-request');
    expect(await whole.json<Diff>('GET', `/sessions/${other}/diff`)).toMatchObject({ files: [] });
    expect(await whole.refused('GET', `/sessions/${other}/files`)).toBe('no-sandbox');
    expect(await whole.refused('GET', `/sessions/${other}/pull-request/diff`)).toBe(
      'no-pull-request',
    );
  });
});
