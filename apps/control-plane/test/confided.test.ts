import { join } from 'node:path';
import { ContactList, Repository } from '@ship/protocol';
import { Sandbox } from 'e2b';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, write } from './git/support/git.ts';
import { openOutside } from './support/outside.ts';
import { WholeWorld } from './support/whole-world.ts';
import { API_KEY } from './support/world-parts.ts';

const MINUTE_MS = 60_000;
const SECRET = 'planted-"quoted"-secret-4417';
const GENERAL = 'planted-general-secret-9052';
const ASK_HOST = `for host in mine.test pypi.org; do curl -s -m 20 -o /dev/null -w "$host=%{http_code} " http://$host/; done; echo "<$API_KEY> <$GENERAL_KEY>"`;
const bash = (command: string) => ({ tool: 'bash', input: { command, description: 'look' } });
const RULES = [
  {
    name: 'hosts',
    when: { prompt: { regex: 'Ask the hosts' } },
    steps: [{ calls: [bash(ASK_HOST)] }, { say: 'Asked.' }],
  },
  {
    name: 'secrets',
    when: { prompt: { regex: 'Use the secret' } },
    steps: [
      {
        calls: [
          bash('echo "${#API_KEY} characters: <$API_KEY>"'),
          bash('for i in $(seq 4000); do echo "$i $API_KEY $GENERAL_KEY"; done; printenv'),
          { tool: 'write', input: { filePath: '{{folder}}/two.txt', content: 'two\n' } },
        ],
      },
      { say: `The value is ${SECRET}, and I tell everybody.` },
    ],
  },
];
const SETUP = `printf '%s' "$API_KEY" > ~/expected
echo "setup sees <$API_KEY>"
`;

/** With the real control plane, sandbox, agent and forge; the model is scripted, and this machine stands in for the internet. */
describe('allowed hosts and secrets of a repository', { timeout: 4 * MINUTE_MS }, () => {
  let world: WholeWorld;
  let outside: Awaited<ReturnType<typeof openOutside>>;
  let confided: string;
  /** A session that sent requests to hosts. */
  let probing: string;
  beforeAll(async () => {
    outside = await openOutside();
    world = await WholeWorld.open(RULES, 0, { outside: outside.parts });
    confided = await newRepository('confided', { '.ship/setup.sh': SETUP });
    const added = await world.call('POST', '/api/repositories', {
      location: confided,
      verifyCommand: 'echo "verify sees <$API_KEY>"; test "$API_KEY" = "$(cat ~/expected)"',
    });
    const { repositoryId } = Repository.parse(await added.json());
    await world.call('PUT', '/api/secrets/API_KEY', { value: SECRET, repositoryId });
    await world.call('PUT', '/api/secrets/GENERAL_KEY', { value: GENERAL });
  }, 3 * MINUTE_MS);
  afterAll(async () => {
    await world.close();
    outside.close();
  }, MINUTE_MS);

  const newRepository = async (name: string, files: Record<string, string>) => {
    const folder = join(world.folder, name);
    await write(folder, { 'one.txt': 'one\n', ...files });
    await git(folder, 'init', '-q', '-b', 'main');
    await git(folder, 'add', '-A');
    await git(folder, 'commit', '-q', '-m', 'first');
    return folder;
  };
  const outputs = async (sessionId: string) =>
    (await world.events(sessionId)).flatMap(({ type, data }) =>
      type === 'tool.finished' ? [data.output.trim()] : [],
    );
  const prompt = async (sessionId: string, text: string) => {
    const before = (await world.state(sessionId)).turnsFinished;
    const requestId = `prompt-${crypto.randomUUID()}`;
    await world.call('POST', `/api/sessions/${sessionId}/prompts`, { requestId, text });
    for (const end = Date.now() + 2 * MINUTE_MS; Date.now() < end;) {
      if ((await world.state(sessionId)).turnsFinished > before) return world.rest(sessionId);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    throw new Error('the turn does not end');
  };
  const allow = (...hosts: string[]) =>
    world.call('PATCH', '/api/settings', { egress: { allow: hosts } });

  it('[NW3] a host is refused until Settings allow it; in a running sandbox that applies from the next turn', async () => {
    const repository = await newRepository('hosts', {});
    const sessionId = await world.newSession(repository, 'Ask the hosts');
    probing = sessionId;
    const { sandbox } = await world.rest(sessionId);
    await allow('mine.test');
    await prompt(sessionId, 'Ask the hosts again');
    // The session has the workspace's secrets, but none of another repository.
    expect(await outputs(sessionId)).toEqual([
      'mine.test=403 pypi.org=200 <> <[redacted]>',
      'mine.test=200 pypi.org=403 <> <[redacted]>',
    ]);
    const sandboxId = 'sandboxId' in sandbox ? sandbox.sandboxId : '';
    const ledger = await fetch(
      `${world.parts.sandboxes.apiUrl}/ship/sandboxes/${sandboxId}/ledger`,
      { headers: { 'x-api-key': API_KEY } },
    );
    expect(((await ledger.json()) as { entries: unknown[] }).entries).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ host: 'mine.test', verdict: 'deny', rule: 'not-listed' }),
        expect.objectContaining({ host: 'mine.test', verdict: 'allow', rule: 'sandbox-allow' }),
        expect.objectContaining({ host: 'pypi.org', verdict: 'deny', rule: 'sandbox-deny' }),
      ]),
    );
  });

  it('[NW5] the session lists the same contacts, newest first, without waking its sandbox', async () => {
    const answer = await world.call('GET', `/api/sessions/${probing}/sandbox/contacts`);
    const { isKept, contacts } = ContactList.parse(await answer.json());
    expect(isKept).toBe(true);
    const mine = contacts.filter(({ host }) => host === 'mine.test');
    expect(mine.map(({ verdict }) => verdict).toSorted()).toEqual(['allow', 'deny']);
    expect(mine.find(({ verdict }) => verdict === 'allow')?.bytesIn).toBeGreaterThan(0);
    const times = contacts.map(({ lastSeenAt }) => lastSeenAt);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });

  it('[NW4] a new session’s sandbox starts with the hosts of Settings', async () => {
    await allow('mine.test', '*.mine.test');
    const { apiUrl, sandboxUrl } = world.parts.sandboxes;
    const service = { apiKey: API_KEY, apiUrl, sandboxUrl };
    const repository = await newRepository('made', {});
    const made = await world.call('POST', '/api/sessions', {
      requestId: `new-${crypto.randomUUID()}`,
      repository,
    });
    const { sessionId } = (await made.json()) as { sessionId: string };
    const query = { metadata: { 'ship-session': sessionId } };
    await expect
      .poll(async () => (await Sandbox.list({ ...service, query }).nextItems()).length, {
        timeout: MINUTE_MS,
      })
      .toBe(1);
    const [found] = await Sandbox.list({ ...service, query }).nextItems();
    const { network } = await Sandbox.getInfo(found?.sandboxId ?? '', service);
    expect(network).toMatchObject({
      allowOut: ['mine.test', '*.mine.test'],
      denyOut: ['0.0.0.0/0'],
    });
    await allow();
  });

  it('[SR1] setup, verification and the agent’s commands have the repository’s secrets; no stored text contains a value', async () => {
    const sessionId = await world.newSession(confided, 'Use the secret');
    const state = await world.rest(sessionId);
    expect(state.activity).toEqual({ status: 'idle' });
    expect(state.verification.before).toMatchObject({ verdict: 'passed' });
    expect(await outputs(sessionId)).toContain(`${SECRET.length} characters: <[redacted]>`);
    const events = await world.events(sessionId);
    const names = events.flatMap(({ data }) => {
      const link = 'link' in data ? data.link : null;
      return typeof link === 'string' ? [link.split('/').at(-1) ?? ''] : [];
    });
    expect(names).not.toEqual([]);
    const texts = [JSON.stringify(events), JSON.stringify(state), world.parts.plane.log.join('\n')];
    for (const name of [...names, 'setup.txt', 'conversation.json']) {
      const path = `/api/sessions/${sessionId}/artifacts/${name}`;
      texts.push(await (await world.call('GET', path)).text());
    }
    texts.push(await (await world.call('GET', `/api/sessions/${sessionId}/trace`)).text());
    const body = await world.pullRequestBody(state);
    expect(body).toContain('The value is [redacted], and I tell everybody.');
    texts.push(body, await git(confided, 'log', '--all', '--format=%B'));
    expect(texts.join()).toContain('setup sees <[redacted]>');
    expect(texts.join()).toContain('verify sees <[redacted]>');
    for (const text of texts)
      for (const value of [SECRET, JSON.stringify(SECRET).slice(1, -1), GENERAL])
        expect(text.includes(value)).toBe(false);
  });
});
