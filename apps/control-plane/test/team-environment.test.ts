import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DurableEvent } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, write } from './git/support/git.ts';
import { WholeWorld } from './support/whole-world.ts';

const MINUTE_MS = 60_000;
const HAS_REDIS = existsSync('/usr/bin/redis-server') && existsSync('/usr/bin/redis-cli');

const call = (tool: string, input: Record<string, string>) => ({ tool, input });
const bash = (command: string) => call('bash', { command, description: 'look around' });
const RULES = [
  {
    name: 'look',
    when: { prompt: { regex: 'Look at the environment' } },
    steps: [
      { calls: [bash('echo "agent: $MODE $GREETING" > seen.txt; cat seen.txt')] },
      { say: 'I looked.' },
    ],
  },
  {
    name: 'write the setup',
    when: { prompt: { regex: 'write it down as scripts' } },
    steps: [
      {
        calls: [
          call('write', {
            filePath: '{{folder}}/.ship/setup.sh',
            content: 'set -e\n. ./versions\ntouch prepared\n',
          }),
          // Git ignores this file, so a clean sandbox lacks it.
          call('write', { filePath: '{{folder}}/versions', content: 'V=1\n' }),
          call('write', {
            filePath: '{{folder}}/.ship/verify.sh',
            content: 'test -f prepared && echo verified\n',
          }),
        ],
      },
      // It works here, because this sandbox has the ignored file.
      { calls: [bash('bash .ship/setup.sh && bash .ship/verify.sh')] },
      { say: 'The setup is written.' },
    ],
  },
  {
    name: 'correct the setup',
    when: { prompt: { regex: 'fails in a clean sandbox' } },
    steps: [
      {
        calls: [
          call('write', {
            filePath: '{{folder}}/.ship/setup.sh',
            content: 'set -e\ntouch prepared\n',
          }),
        ],
      },
      { say: 'It needs no versions now.' },
    ],
  },
];

const find = <Type extends DurableEvent['type']>(events: readonly DurableEvent[], type: Type) =>
  events.flatMap((event) =>
    event.type === type ? [event as Extract<DurableEvent, { type: Type }>] : [],
  );

/** With the real control plane, sandbox, agent and forge; only the model is scripted. */
describe('environments that teams describe', { timeout: 4 * MINUTE_MS }, () => {
  let world: WholeWorld;
  beforeAll(async () => {
    world = await WholeWorld.open(RULES);
  }, 3 * MINUTE_MS);
  afterAll(() => world.close(), MINUTE_MS);

  const newRepository = async (name: string, files: Record<string, string>) => {
    const folder = join(world.folder, name);
    await write(folder, files);
    await git(folder, 'init', '-q', '-b', 'main');
    await git(folder, 'add', '-A');
    await git(folder, 'commit', '-q', '-m', 'first');
    return folder;
  };
  const text = async (path: string) => (await world.call('GET', path)).text();

  it('[DE1] a session runs a devcontainer: order, parallel, environment for tests and agent, table', async () => {
    const repository = await newRepository('described', {
      '.devcontainer/devcontainer.json': `{
        // Comments and trailing commas, as people write them.
        "image": "mcr.microsoft.com/devcontainers/javascript-node:1-99-bookworm",
        "onCreateCommand": "echo first >>order",
        "updateContentCommand": {
          "left": "touch left; until [ -e right ]; do sleep 0.05; done",
          "right": "touch right; until [ -e left ]; do sleep 0.05; done",
        },
        "postCreateCommand": "echo last >>order; echo order: $(cat order)",
        "postStartCommand": "echo up >>started; exec sleep 600",
        "containerEnv": { "MODE": "container" },
        "remoteEnv": { "GREETING": "hello \${localWorkspaceFolderBasename}" },
        "forwardPorts": [3000],
        "portsAttributes": { "3000": { "label": "Web" } },
        "privileged": true,
      }`,
      'package.json': JSON.stringify({ scripts: { test: 'sh test.sh' } }),
      'test.sh': `for i in $(seq 100); do [ -s started ] || sleep 0.1; done
echo "test: $MODE $GREETING"
test "$MODE $GREETING" = "container hello described" && test "$(wc -l <started)" = 1\n`,
      '.gitignore': 'order\nleft\nright\nstarted\n',
    });
    const sessionId = await world.newSession(repository, 'Look at the environment');
    const state = await world.rest(sessionId);
    expect(state.activity).toEqual({ status: 'idle' });
    const events = await world.events(sessionId);

    const log = await text(`/api/sessions/${sessionId}/artifacts/setup.txt`);
    expect(log).toMatch(/applied {6}onCreateCommand +in the setup\n/);
    expect(log).toMatch(/not applied {2}image: node 99 +the sandbox has \d+/);
    expect(log).toMatch(/not applied {2}privileged /);
    expect(log).toContain('order: first last');

    expect(state.verification).toMatchObject({
      before: { verdict: 'passed' },
      after: { verdict: 'passed' },
    });
    const tools = find(events, 'tool.finished').map(({ data }) => data.output);
    expect(tools.join('\n')).toContain('agent: container hello described');

    const [planned] = find(events, 'environment.planned');
    expect(planned?.data.described).toContainEqual({
      file: '.devcontainer/devcontainer.json',
      item: 'updateContentCommand',
      applied: true,
      why: '2 commands in parallel, in the setup',
    });
    expect(state.environment?.ports).toEqual([{ port: 3000, label: 'Web', opensPreview: false }]);
  });

  it.skipIf(!HAS_REDIS)(
    '[DE8] a compose file’s cache answers tests at its port (needs redis-server on this machine)',
    async () => {
      const repository = await newRepository('composed', {
        'compose.yaml': `services:
  cache: { image: "redis:7-alpine", ports: ["6390:6379"] }
  mail: { image: axllent/mailpit }
`,
        Makefile: 'test:\n\tredis-cli -p 6390 ping | grep PONG\n',
      });
      const state = await world.rest(await world.newSession(repository, 'Look at the environment'));
      expect(state.verification.before).toMatchObject({ verdict: 'passed', command: 'make test' });
      expect(state.verification.after?.verdict).toBe('passed');
      const log = await text(`/api/sessions/${state.sessionId}/artifacts/setup.txt`);
      expect(log).toContain('redis:7-alpine → native redis at 127.0.0.1:6390');
      expect(log).toMatch(/not applied {2}service mail /);
    },
  );

  it('[AS2] a setup that an agent writes is tested in a clean sandbox, and returns to the agent once if it fails there', async () => {
    const repository = await newRepository('unwritten', {
      'README.md': '# Unwritten\n',
      '.gitignore': 'versions\nprepared\n',
    });
    const { sessionId, ...state } = await world.rest(
      await world.newSession(repository, 'Work it out, and write it down as scripts.'),
    );
    const events = await world.events(sessionId);
    const proofs = find(events, 'setup.proved').map(({ data }) => data);
    expect(proofs.map(({ setup, verify }) => [setup.exitCode, verify?.verdict])).toEqual([
      [1, undefined],
      [0, 'passed'],
    ]);
    expect(await text(proofs[0]?.setup.link ?? '')).toContain('versions');
    const started = find(events, 'command.started').map(({ data }) => data.purpose);
    expect(started.filter((purpose) => purpose === 'setup-proof')).toHaveLength(2);
    const [, repair] = find(events, 'prompt.queued');
    expect(repair?.data.author).toBe('Ship');
    const body = await world.pullRequestBody({ ...state, sessionId });
    expect(body).toContain('### Setup in a clean sandbox');
    expect(body).toContain('✅ `bash .ship/setup.sh`');
    expect(body).toContain('**Repair** after a failed setup');
    expect(body).toContain('✅ `bash .ship/verify.sh`');
  });
});
