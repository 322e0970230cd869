import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EnvironmentCheck } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WholeWorld } from '../support/whole-world.ts';
import { commit, git, repository, write } from './support/git.ts';
import { addSubmodule } from './support/submodule.ts';

const MINUTE_MS = 60_000;
const RULES = [
  {
    name: 'start',
    when: { prompt: { regex: 'Start the project' } },
    steps: [
      {
        calls: [
          { tool: 'write', input: { filePath: '{{folder}}/app.txt', content: 'first\n' } },
          { tool: 'bash', input: { command: 'cat vendor/lib/README.md || true' } },
        ],
      },
      { say: 'Done.' },
    ],
  },
];

const bash = (command: string) => ({ tool: 'bash', input: { command } });
const MERGE = 'git merge --allow-unrelated-histories origin/trunk';
const FIRST_CONFLICT_RULES = [
  { name: 'look', when: { prompt: { regex: '^Look around' } }, steps: [{ say: 'It is empty.' }] },
  {
    name: 'write',
    when: { prompt: { regex: '^Write a README' } },
    steps: [
      {
        calls: [{ tool: 'write', input: { filePath: '{{folder}}/README.md', content: 'ours\n' } }],
      },
      { say: 'Done.' },
    ],
  },
  {
    // Matches only a prompt that contains the correct command.
    name: 'merge',
    when: { prompt: { regex: `^\\w+ else changed[^]*\`${MERGE}\`` } },
    steps: [
      { calls: [bash(`${MERGE}; printf 'both\\n' > README.md; git add -A`)] },
      { say: 'Merged both.' },
    ],
  },
];

const requestId = () => `request-${crypto.randomUUID()}`;

/** Uses the real control plane, sandbox, agent and forge. */
describe('unusual checkouts', { timeout: 4 * MINUTE_MS }, () => {
  let world: WholeWorld;
  beforeAll(async () => {
    world = await WholeWorld.open([...RULES, ...FIRST_CONFLICT_RULES], 0, { seesRequests: true });
  }, 3 * MINUTE_MS);
  afterAll(() => world.close(), MINUTE_MS);

  const checked = async (location: string): Promise<EnvironmentCheck> => {
    const body = { repository: location };
    const made = await world.call('POST', '/api/environment-checks', body);
    const { checkId } = EnvironmentCheck.parse(await made.json());
    return vi.waitFor(
      async () => {
        const answer = await world.call('GET', `/api/environment-checks/${checkId}`);
        const seen = EnvironmentCheck.parse(await answer.json());
        expect(seen.status).not.toBe('running');
        return seen;
      },
      { timeout: MINUTE_MS, interval: 300 },
    );
  };

  it('[GW28] from an empty folder to a merged pull request, over the API', async () => {
    const folder = join(world.folder, 'new-project');
    await mkdir(folder);
    await git(folder, 'init', '-q', '-b', 'trunk');
    await write(folder, { 'notes.txt': 'mine\n' });
    const sessionId = await world.newSession(folder, 'Start the project');
    const state = await world.rest(sessionId);
    expect(state.activity.status).toBe('idle');
    expect(state.git).toMatchObject({ base: 'trunk', pullRequest: { state: 'open', draft: true } });
    const events = await world.events(sessionId);
    const made = events.find(({ type }) => type === 'branch.made');
    expect(made?.type === 'branch.made' ? made.data.notes?.join(' ') : '').toMatch(
      /no commit yet.*1 file is not committed/,
    );
    expect(await git(folder, 'status', '--porcelain')).toBe('?? notes.txt');
    const path = `/api/sessions/${sessionId}/pull-request`;
    await world.call('POST', `${path}/ready`, { requestId: requestId() });
    await world.call('POST', `${path}/merge`, {
      requestId: requestId(),
      headSha: state.git.pushedSha,
    });
    expect(await readFile(join(folder, 'app.txt'), 'utf8')).toBe('first\n');
    expect(await readFile(join(folder, 'notes.txt'), 'utf8')).toBe('mine\n');
    expect(await git(folder, 'status', '--porcelain')).toBe('?? notes.txt');
  });

  it('[GW28] a conflict with another person’s first commit is resolved by the agent and delivered', async () => {
    const folder = join(world.folder, 'begun-by-two');
    await mkdir(folder);
    await git(folder, 'init', '-q', '-b', 'trunk');
    const sessionId = await world.newSession(folder, 'Look around');
    await world.rest(sessionId);
    const theirs = await commit(folder, { 'README.md': 'theirs\n', 'their.txt': '1\n' }, 'first');
    const body = { requestId: requestId(), text: 'Write a README' };
    await world.call('POST', `/api/sessions/${sessionId}/prompts`, body);
    const state = await vi.waitFor(
      async () => {
        const seen = await world.rest(sessionId);
        expect(seen.turnsFinished).toBeGreaterThan(2);
        return seen;
      },
      { timeout: 2 * MINUTE_MS, interval: 300 },
    );
    expect(state.activity).toEqual({ status: 'idle' });
    expect(state.git).toMatchObject({
      conflict: null,
      baseSha: theirs,
      pullRequest: { state: 'open' },
    });
    const shown = async (path: string) => git(folder, 'show', `${state.git.branch ?? ''}:${path}`);
    expect(await shown('README.md')).toBe('both');
    expect(await shown('their.txt')).toBe('1');
    expect(await git(folder, 'rev-parse', 'trunk')).toBe(theirs);
  });

  it('[GW28] the plan and the check of an empty folder say that there is no commit yet', async () => {
    const folder = join(world.folder, 'nothing-yet');
    await mkdir(folder);
    await git(folder, 'init', '-q');
    const plan = `/api/repositories/plan?location=${encodeURIComponent(folder)}`;
    await expect(world.call('GET', plan)).rejects.toThrow('has no commit yet');
    expect(await checked(folder)).toMatchObject({
      status: 'failed',
      error: { code: 'base-missing' },
    });
  });

  it('[GW29] a check of a repository has the submodules of a session, and names the missing ones', async () => {
    const lib = await repository(join(world.folder, 'checked-lib'));
    const app = await repository(join(world.folder, 'checked-app'));
    await commit(app, {
      '.ship/setup.sh': 'cp vendor/lib/README.md built.txt\n',
      '.ship/verify.sh': 'test -f built.txt\n',
      '.gitignore': 'built.txt\n',
    });
    const sha = await git(lib, 'rev-parse', 'HEAD');
    await addSubmodule(app, { path: 'vendor/lib', url: '../checked-lib', sha });
    const without = await checked(app);
    expect(without.status).toBe('failed');
    expect(without.steps.find(({ name }) => name === 'submodules')).toMatchObject({
      status: 'skipped',
      detail: expect.stringMatching(/^vendor\/lib: .* not among the repositories/) as string,
    });
    await world.call('POST', '/api/repositories', { location: lib });
    const check = await checked(app);
    expect(check).toMatchObject({ status: 'passed', error: null });
    expect(check.steps.map(({ name, status }) => [name, status])).toEqual([
      ['sandbox', 'ok'],
      ['clone', 'ok'],
      ['submodules', 'ok'],
      ['setup', 'ok'],
      ['verify', 'ok'],
    ]);
    expect(check.steps[2]?.detail).toBe('vendor/lib');
  });

  it('[GW29] an added submodule is in the sandbox and in the tests of the base; the agent learns of a missing one', async () => {
    const lib = await repository(join(world.folder, 'lib'));
    const app = await repository(join(world.folder, 'app'));
    await commit(app, { '.ship/verify.sh': 'test -f vendor/lib/README.md\n' });
    const sha = await git(lib, 'rev-parse', 'HEAD');
    await addSubmodule(app, { path: 'vendor/lib', url: '../lib', sha });
    await addSubmodule(app, { path: 'vendor/other', url: '../other', sha });
    await world.call('POST', '/api/repositories', { location: lib });
    const sessionId = await world.newSession(app, 'Start the project');
    const state = await world.rest(sessionId);
    const events = await world.events(sessionId);
    const noted = events.find(({ type }) => type === 'checkout.noted');
    expect(noted?.data).toMatchObject({
      initialized: [{ path: 'vendor/lib', from: lib }],
      submodules: [{ path: 'vendor/other', reason: expect.stringContaining('Settings') as string }],
    });
    expect(world.parts.newestRequest()).toContain('The submodule vendor/other is not checked out');
    expect(state.verification).toMatchObject({ before: { exitCode: 0 }, after: { exitCode: 0 } });
    expect(await git(app, 'diff', '--name-only', 'main', state.git.branch ?? '')).toBe('app.txt');
  });
});
