import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ForgeTokenStored, type SessionState } from '@ship/protocol';
import { Sandbox } from 'e2b';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  gatewayRemote,
  gitCapabilities,
  type GitClaims,
} from '../../src/git/gateway/capability.ts';
import { WholeWorld } from '../support/whole-world.ts';
import { API_KEY } from '../support/world-parts.ts';
import { holderAt } from './support/bearer.ts';
import { LOCAL_TOKEN, SECRET } from './support/control-plane.ts';
import { git, gitFailure, repository } from './support/git.ts';

const MINUTE_MS = 60_000;
const WRITE = 'planted-token-that-writes-81fe';
const READ = 'planted-token-that-reads-40ba';
const RULES = [
  {
    name: 'hello',
    when: { prompt: 'say hello' },
    steps: [
      {
        calls: [{ tool: 'write', input: { filePath: '{{folder}}/hello.txt', content: 'hello\n' } }],
      },
      { say: 'Done.' },
    ],
  },
];

/** All components are real; a forge with tokens stands in for GitHub, and the control plane's environment has no token. */
describe('a token for GitHub that a person set', { timeout: 4 * MINUTE_MS }, () => {
  let world: WholeWorld;
  let url: string;
  let person: string;
  let sessionId: string;
  let remote: string;

  beforeAll(async () => {
    world = await WholeWorld.open(RULES, 0, {
      githubTokens: [
        { token: WRITE, login: 'ada' },
        { token: READ, login: 'bob', access: 'read' },
      ],
    });
    const { forge } = world.parts;
    await fetch(`${forge.apiUrl}/user/repos`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${WRITE}` },
      body: JSON.stringify({ name: 'app' }),
    });
    url = `${forge.gitUrl}/ada/app.git`;
    person = await repository(join(world.folder, 'person'));
    await git(person, 'push', '-q', url.replace('http://', `http://x:${WRITE}@`), 'main');
    const claims: GitClaims = {
      ...(await holderAt(world.parts.url, LOCAL_TOKEN)),
      repository: { forge: 'github', owner: 'ada', name: 'app' },
      branch: 'ship-work',
    };
    const capability = await gitCapabilities(SECRET).issue(claims, Date.now() + 10 * MINUTE_MS);
    remote = gatewayRemote(world.parts.url, capability, claims);
  }, 3 * MINUTE_MS);
  afterAll(() => world.close(), MINUTE_MS);

  const set = async (token: string) => {
    const answer = await world.call('PUT', '/api/forges/github/token', { token });
    return ForgeTokenStored.parse(await answer.json()).check;
  };
  const push = () => ['push', remote, 'HEAD:refs/heads/ship-work'] as const;

  it('[FT4] without a token neither git nor the API has access, and the session says where to set one', async () => {
    expect(await gitFailure(person, 'ls-remote', remote)).toContain(
      'refused Ship’s own credential',
    );
    sessionId = await world.newSession(url, 'say hello');
    const { activity } = await world.rest(sessionId);
    expect(JSON.stringify(activity)).toContain('credentials-refused');
    expect(JSON.stringify(activity)).toContain('Settings → Forges');
  });

  it('[FT4] with a token the same control plane clones, pushes and opens a pull request', async () => {
    expect(await set(WRITE)).toEqual({ state: 'accepted', login: 'ada' });
    expect(await git(person, 'ls-remote', remote)).toContain('refs/heads/main');
    const requestId = `retry-${crypto.randomUUID()}`;
    await world.call('POST', `/api/sessions/${sessionId}/retry`, { requestId });
    const { git: state } = await restAfterWork();
    const { number } = state.pullRequest ?? { number: 0 };
    const made = await fetch(`${world.parts.forge.apiUrl}/repos/ada/app/pulls/${number}`, {
      headers: { authorization: `Bearer ${READ}` },
    });
    expect(await made.json()).toMatchObject({ draft: true, user: { login: 'ada' } });
  });

  it('[FT1] the token is in no event, no log, no file of the Durable Objects and nowhere in the sandbox', async () => {
    const { sandbox } = await world.state(sessionId);
    const { apiUrl, sandboxUrl } = world.parts.sandboxes;
    const service = { apiKey: API_KEY, apiUrl, sandboxUrl };
    const inside = await Sandbox.connect('sandboxId' in sandbox ? sandbox.sandboxId : '', service);
    const found = await inside.commands.run(
      `env | grep -c ${WRITE}; cat /proc/*/environ 2>/dev/null | grep -ac ${WRITE}; grep -rla ${WRITE} /home /tmp /etc /run 2>/dev/null | head; true`,
      { timeoutMs: MINUTE_MS },
    );
    // The second command also reads its own environment: the token is only in its arguments.
    expect(found.stdout.trim().split('\n')).toEqual(['0', '0']);
    expect(JSON.stringify(await world.events(sessionId))).not.toContain('planted-token');
    expect(world.parts.plane.log.join('\n')).not.toContain('planted-token');
    const objects = join(world.folder, 'plane', 'objects');
    const files = await readdir(objects, { recursive: true, withFileTypes: true });
    const contents = await Promise.all(
      files
        .filter((file) => file.isFile())
        .map((file) => readFile(join(file.parentPath, file.name))),
    );
    expect(contents.some((bytes) => bytes.includes('say hello'))).toBe(true);
    expect(contents.some((bytes) => bytes.includes('planted-token'))).toBe(false);
  });

  it('[FT4] another token applies from its next use: git and the API have its rights', async () => {
    await git(person, ...push());
    expect(await set(READ)).toEqual({ state: 'accepted', login: 'bob' });
    expect(await git(person, 'ls-remote', remote)).toContain('refs/heads/ship-work');
    await git(person, 'commit', '-q', '--allow-empty', '-m', 'more');
    expect(await gitFailure(person, ...push())).toContain('does not allow this');
    const path = `/api/sessions/${sessionId}/pull-request`;
    expect((await world.call('GET', path)).ok).toBe(true);
    await expect(
      world.call('POST', `${path}/close`, { requestId: `close-${crypto.randomUUID()}` }),
    ).rejects.toThrow(/ 4\d\d /);
  });

  it('[FT4] without the removed token, git and the API have no access', async () => {
    await world.call('DELETE', '/api/forges/github/token');
    expect(await gitFailure(person, 'ls-remote', remote)).toContain(
      'refused Ship’s own credential',
    );
    await expect(world.call('GET', `/api/sessions/${sessionId}/pull-request`)).rejects.toThrow(
      /credentials-refused/,
    );
    expect(world.parts.plane.log.join('\n')).not.toContain('planted-token');
  });

  async function restAfterWork(): Promise<SessionState> {
    for (const end = Date.now() + 2 * MINUTE_MS; Date.now() < end;) {
      const state = await world.state(sessionId);
      if (state.activity.status === 'idle' && state.git.pullRequest !== null) return state;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    throw new Error(JSON.stringify((await world.state(sessionId)).activity));
  }
});
