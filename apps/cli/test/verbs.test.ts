import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DurableEnvelope, SessionId, SessionPage, SessionView, TokenCreated } from '@ship/protocol';
import { ShipClient } from '@ship/protocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../scripts/testing/free-port.ts';
import { preparedDataFolder } from '../../../scripts/testing/prepared-data.ts';
import { redeemCode } from '../../../scripts/testing/sign-in.ts';
import {
  type Running,
  launchShip,
  preparedFolder,
  processesWith,
  ship,
  temporaryFolder,
  until,
  untilReady,
} from './ship.ts';
import { removeFolder } from '../../../scripts/testing/remove-folder.ts';

function sampleRepository(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder });
  writeFileSync(join(folder, 'README.md'), '# sample\n');
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-q', '-m', 'first');
  return folder;
}

const lastJson = (output: string): unknown => JSON.parse(output.trimEnd().split('\n').at(-1) ?? '');

describe('verbs against a running server', { timeout: 60_000 }, () => {
  let data: string;
  let port: number;
  let server: Running;
  let client: ShipClient;
  let repository: string;

  beforeAll(async () => {
    data = await preparedDataFolder();
    port = await freePort();
    server = launchShip(['up', '--no-open', '--port', String(port), '--data', data]);
    await untilReady(server);
    repository = sampleRepository(join(data, 'sample'));
    const token = readFileSync(join(data, 'secrets', 'local-token'), 'utf8');
    client = new ShipClient({ baseUrl: `http://127.0.0.1:${port}`, token });
    // A prewarmed agent would use seconds of processor time after each session.
    await client.changeSettings({ warm: { size: 0 } });
  }, 90_000);
  afterAll(async () => {
    server.process.kill('SIGTERM');
    await server.exited;
    removeFolder(data);
  }, 60_000);

  async function run(...args: string[]) {
    const running = ship([...args, '--data', data]);
    return { code: await running.exited, output: running.output() };
  }
  /** Answers the question of `ship close` in a terminal. */
  async function answer(typed: string) {
    const closing = ship(['close', '--data', data], {}, typed);
    return { code: await closing.exited, output: closing.output() };
  }
  const newSession = async (title: string) =>
    (await client.createSession({ repository, prompt: null, title, model: 'demo/demo' })).sessionId;

  it('[RN5] run starts a session and, without --wait, prints its URL', async () => {
    const { code, output } = await run('run', '--repo', repository, 'Say hello', '--json');
    expect(code).toBe(0);
    const result = lastJson(output) as { sessionId: string; status: string };
    expect(result.status).toBe('working');
    const { summary } = await client.session(SessionId.parse(result.sessionId));
    expect(summary).toMatchObject({ repository, source: 'cli', title: 'Say hello' });
    await client.deleteSession(summary.sessionId);
    const people = await run('run', '--repo', repository, '--branch', 'mine', 'Say hello');
    expect(people.output).toContain(`http://ship.localhost:${port}/sessions/ses_`);
    const [newest] = (await client.sessions({ limit: 1 })).sessions;
    if (newest !== undefined) await client.deleteSession(newest.sessionId);
  });

  it('[RN5] ls, show and logs print sessions for people and for programs', async () => {
    const sessionId = await newSession('A very special title');
    const listed = await run('ls', '--search', 'special');
    expect(listed.code).toBe(0);
    expect(listed.output).toContain('A very special title');
    const page = SessionPage.parse(lastJson((await run('ls', '--json')).output));
    expect(page.sessions.map((session) => session.sessionId)).toContain(sessionId);

    const shown = await run('show', sessionId.slice(-8));
    expect(shown.output).toContain(`id            ${sessionId}`);
    const view = SessionView.parse(lastJson((await run('show', sessionId, '--json')).output));
    expect(view.state.title).toBe('A very special title');

    const logs = await run('logs', sessionId);
    expect(logs.output).toMatch(/^\s+\d+ ms {2}session ses_\w+: A very special title$/m);
    const events = (await run('logs', sessionId, '--json')).output.trimEnd().split('\n');
    expect(DurableEnvelope.parse(JSON.parse(events[0] ?? '')).type).toBe('session.created');
    expect(logs.output + listed.output + shown.output).not.toContain('\u001b[');
  });

  it('[RN5] logs -f keeps printing new events until Ctrl-C', async () => {
    const sessionId = await newSession('followed');
    const following = ship(['logs', '-f', sessionId, '--data', data]);
    await until('the past', () => (following.output().includes('followed') ? true : undefined));
    await client.renameSession(sessionId, 'renamed meanwhile');
    await until('the present', () =>
      following.output().includes('renamed: renamed meanwhile') ? true : undefined,
    );
    following.process.kill('SIGINT');
    expect(await following.exited).toBe(0);
  });

  it('[RN5] prompt queues another prompt; open prints a sign-in link', async () => {
    const sessionId = await newSession('to be prompted');
    const { code, output } = await run('prompt', sessionId, 'And then this', '--json');
    expect(code).toBe(0);
    expect(lastJson(output)).toMatchObject({ sessionId, promptId: expect.stringMatching(/^prm_/) });
    const { events } = await client.history(sessionId, { after: 0 });
    expect(JSON.stringify(events)).toContain('And then this');
    await client.stop(sessionId, { clearQueue: true }).catch(() => undefined);
    const opened = await run('open', sessionId, '--json');
    const { url } = lastJson(opened.output) as { url: string };
    const [page, link = ''] = url.split('#sign-in=');
    expect(page).toBe(`http://ship.localhost:${port}/sessions/${sessionId}`);
    expect((await redeemCode(url, link)).status).toBe(204);
  });

  it('[CL2] errors have a remedy, and are JSON with --json', async () => {
    const absent = await run('show', `ses_${'0'.repeat(26)}`, '--json');
    expect(absent.code).toBe(1);
    expect(lastJson(absent.output)).toMatchObject({ error: { code: 'not-found' } });
    expect((await run('show', 'zzzz')).output).toContain('no session has "zzzz" in its id');
    const idle = await run('stop', await newSession('idle'));
    expect(idle.code).toBe(1);
    expect(idle.output).not.toContain('    at ');
    const nowhere = await run('run', '--repo', '/nonexistent', 'x');
    expect(nowhere.code).toBe(2);
    const noRepository = await run('run', '--repo', temporaryFolder(), 'x');
    expect(noRepository).toMatchObject({ code: 2, output: expect.stringContaining('git init') });
    expect((await run('run', '--model', 'nonsense', 'x')).code).toBe(2);
    expect((await run('run', '--budget', 'much', 'x')).code).toBe(2);
    expect((await run('ls', '--status', 'asleep')).code).toBe(2);
  });

  it('[EY1] an irreversible verb acts only on the named session', async () => {
    const kept = await newSession('kept');
    for (const verb of [['pr', 'merge'], ['stop'], ['close'], ['delete']]) {
      const guessed = await run(...verb, '--json');
      expect(guessed.code).toBe(2);
      expect(lastJson(guessed.output)).toMatchObject({
        error: { remedy: expect.stringContaining(`ship ${verb.join(' ')} SESSION`) },
      });
      // An unset variable in a script.
      expect((await run(...verb, '')).code).toBe(2);
    }
    for (const verb of [['show'], ['logs'], ['pr'], ['pr', 'diff'], ['open'], ['retry']])
      expect((await run(...verb, '')).code).toBe(2);
    expect((await run('prompt', '', 'x')).code).toBe(2);
    expect((await client.session(kept)).summary.status).not.toBe('closed');
    const gone = await newSession('gone');
    expect(await run('close', gone)).toMatchObject({ code: 0, output: `closed ${gone}\n` });
    expect((await client.session(gone)).summary.status).toBe('closed');
    expect(await run('delete', gone)).toMatchObject({ code: 0, output: `deleted ${gone}\n` });
    expect((await run('show', gone)).code).toBe(1);
    const nothing = await run('continue', kept, '--json');
    expect(lastJson(nothing.output)).toMatchObject({ error: { code: 'nothing-to-retry' } });
  });

  it('[EY2] the API refuses an empty id', async () => {
    const token = readFileSync(join(data, 'secrets', 'local-token'), 'utf8');
    const call = (method: string, path: string) =>
      fetch(`http://127.0.0.1:${port}/api${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(method === 'POST' ? { body: JSON.stringify({ requestId: crypto.randomUUID() }) } : {}),
      });
    const before = (await client.sessions({})).sessions.length;
    for (const [method, path] of [
      ['GET', '/sessions/'],
      ['DELETE', '/sessions/'],
      ['DELETE', '/sessions/%20'],
      ['POST', '/sessions//stop'],
      ['POST', '/sessions//close'],
      ['POST', '/sessions//pull-request/merge'],
    ] as const)
      expect([400, 404, 405]).toContain((await call(method, path)).status);
    expect((await client.sessions({})).sessions.length).toBe(before);
  });

  it('[EY1] in a terminal the verb asks which session, and Enter means none', async () => {
    const sessionId = await newSession('to be closed');
    expect((await answer('\n')).output).toContain('Nothing was done.');
    expect((await client.session(sessionId)).summary.status).not.toBe('closed');
    const { output } = await answer('1\n');
    expect(output).toContain(`1  ${sessionId}`);
    expect(output).toContain(`closed ${sessionId}`);
  });

  it('[RN5] adds, lists and removes repositories', async () => {
    const added = await run(
      'repo',
      'add',
      repository,
      '--name',
      'sample',
      '--steps',
      '60',
      '--json',
    );
    expect(lastJson(added.output)).toMatchObject({ location: repository, maxStepsPerTurn: 60 });
    expect((await run('repo', 'ls')).output).toContain(repository);
    expect((await run('repo', 'add', repository)).code).toBe(1);
    expect((await run('repo', 'rm', '')).code).toBe(2);
    expect((await run('repo', 'rm', 'nonsense')).code).toBe(1);
    expect((await run('repo', 'rm', 'sample')).code).toBe(0);
    expect((await client.repositories()).repositories).toEqual([]);
    expect((await run('run', '--steps', '0', 'x')).code).toBe(2);
  });

  it('[RN6] the token is sent only to its own server', async () => {
    const foreign = await run('ls', '--url', 'http://example.invalid');
    expect(foreign).toMatchObject({ code: 1, output: expect.stringContaining('SHIP_TOKEN') });
    expect((await run('ls', '--url', 'nonsense')).code).toBe(2);
    const named = await run('ls', '--json', '--url', `http://localhost:${port}`);
    expect(SessionPage.safeParse(lastJson(named.output)).success).toBe(true);
  });

  it('[RN6] an API token gives access from elsewhere until it is revoked', async () => {
    const { token, value } = TokenCreated.parse(
      lastJson((await run('token', 'create', 'laptop', '--json')).output),
    );
    expect((await run('token', 'ls')).output).toContain('laptop');
    const elsewhere = async () => {
      const args = [
        'ls',
        '--json',
        '--url',
        `http://127.0.0.1:${port}`,
        '--data',
        temporaryFolder(),
      ];
      return ship(args, { SHIP_TOKEN: value }).exited;
    };
    expect(await elsewhere()).toBe(0);
    expect((await run('token', 'revoke', token.tokenId)).code).toBe(0);
    expect(await elsewhere()).toBe(1);
    expect((await run('token', 'revoke', 'nonsense')).code).toBe(2);
  });

  it('[KS9] lists kept setups, and refuses to delete a missing one', async () => {
    const listed = await run('setups', 'ls', '--json');
    expect(listed).toMatchObject({ code: 0 });
    expect(lastJson(listed.output)).toEqual({ setups: [] });
    const missing = await run('setups', 'rm', `ship-setup-${'0'.repeat(32)}`);
    expect(missing).toMatchObject({ code: 1, output: expect.stringContaining('kept setup') });
    expect((await run('setups', 'rm', 'base')).code).toBe(2);
  });
});

describe('verbs without a running server', { timeout: 90_000 }, () => {
  it('[RN6] a server is started for the command and stopped afterwards', async () => {
    const data = await preparedFolder();
    const listing = ship(['ls', '--json', '--data', data]);
    expect(await listing.exited).toBe(0);
    expect(lastJson(listing.output())).toEqual({ sessions: [], nextCursor: null });
    await until('no process left', () => (processesWith(data).length === 0 ? true : undefined));
  });

  it('[RN6] the server that a command started does not outlive it, even when it is killed', async () => {
    const data = await preparedFolder();
    const following = ship(['logs', '-f', '--data', data]);
    await until('its server', () =>
      processesWith(`objects=${data}`).length > 0 ? true : undefined,
    );
    following.process.kill('SIGKILL');
    await until('no process left', () => (processesWith(data).length === 0 ? true : undefined));
  });

  it('[RN6] refuses verbs that are useless with a temporary server', async () => {
    const opening = ship(['open', '--data', temporaryFolder()]);
    expect(await opening.exited).toBe(1);
    expect(opening.output()).toContain('npm start');
  });
});
