import { join } from 'node:path';
import { type DraftId, DraftView, type SessionState, Trace, createId } from '@ship/protocol';
import { Sandbox } from 'e2b';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, write } from './git/support/git.ts';
import { WholeWorld } from './support/whole-world.ts';
import { API_KEY } from './support/world-parts.ts';

const MINUTE_MS = 60_000;
/** About 10,000 tokens, which show in the usage of the first request. */
const LONG = 'Always be kind to the reader of this. '.repeat(1_100);
const SKILL = `---\nname: greeting\ndescription: How to greet.\n---\nSay hello twice.\n`;

/** An MCP server in the repository: its file does not exist yet while the pooled agent waits. */
const CLOCK = `
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const results = {
    initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'clock', version: '1' } }),
    'tools/list': () => ({ tools: [{ name: 'now', description: 'Tells the time', inputSchema: { type: 'object', properties: {} } }] }),
    'tools/call': () => ({ content: [{ type: 'text', text: 'It is noon.' }] }),
  };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method]?.() ?? {} }));
});
`;

const RULES = [
  {
    name: 'look',
    when: { prompt: { regex: 'Look around' } },
    steps: [
      {
        calls: [
          { tool: 'glob', input: { pattern: '**/*.txt' } },
          { tool: 'skill', input: { name: 'greeting' } },
          { tool: 'bash', input: { command: 'cat one.txt', description: 'read' } },
          { tool: 'write', input: { filePath: '{{folder}}/two.txt', content: 'two\n' } },
        ],
      },
      { say: 'Done.' },
    ],
  },
  {
    name: 'time',
    when: { prompt: { regex: 'What time' } },
    steps: [{ calls: [{ tool: 'clock_now', input: {} }] }, { say: 'I know now.' }],
  },
];

/** With the real control plane, sandboxes, agent and forge; only the model is scripted. */
describe('warm start', { timeout: 4 * MINUTE_MS }, () => {
  let world: WholeWorld;
  let repository: string;
  beforeAll(async () => {
    world = await WholeWorld.open(RULES, 1, { seesRequests: true });
    repository = join(world.folder, 'plain');
    await write(repository, {
      'one.txt': 'one\n',
      'AGENTS.md': LONG,
      '.agents/skills/greeting/SKILL.md': SKILL,
    });
    await git(repository, 'init', '-q', '-b', 'main');
    await git(repository, 'add', '-A');
    await git(repository, 'commit', '-q', '-m', 'first');
  }, 3 * MINUTE_MS);
  afterAll(() => world.close(), MINUTE_MS);

  const service = () => {
    const { apiUrl, sandboxUrl } = world.parts.sandboxes;
    return { apiKey: API_KEY, apiUrl, sandboxUrl };
  };
  const sandboxes = async () =>
    (await Sandbox.list(service()).nextItems()).map(({ metadata, state }) => ({
      sessionId: metadata['ship-session'],
      state,
    }));
  const draft = async (draftId: DraftId) =>
    DraftView.parse(await (await world.call('POST', '/api/drafts', { draftId })).json());
  const until = async (holds: () => Promise<boolean>) => {
    for (const end = Date.now() + 3 * MINUTE_MS; Date.now() < end;) {
      if (await holds()) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`timed out; sandboxes: ${JSON.stringify(await sandboxes())}`);
  };
  const inside = async ({ sandbox }: SessionState, command: string) => {
    const sandboxId = 'sandboxId' in sandbox ? sandbox.sandboxId : '';
    const connected = await Sandbox.connect(sandboxId, service());
    return (await connected.commands.run(command)).stdout;
  };
  const agentStartedAt = async (state: SessionState) =>
    Number(await inside(state, 'stat -c %Y ~/.ship/agent/pid')) * 1000;
  const created = new Set<string>();
  const create = async (body: Record<string, unknown>) => {
    const answer = await world.call('POST', '/api/sessions', { repository, ...body });
    const { sessionId } = (await answer.json()) as { sessionId: string };
    created.add(sessionId);
    return sessionId;
  };

  it('[WM7] a draft prepares one agent; its session gets that agent, with its repository', async () => {
    await world.call('PATCH', '/api/settings', { egress: { allow: ['mine.test'] } });
    const draftId = createId('drf');
    expect((await draft(draftId)).status).toBe('warming');
    await until(async () => (await draft(draftId)).status === 'ready');
    const [waiting] = await sandboxes();
    expect(waiting?.state).toBe('paused');
    const [made] = await Sandbox.list(service()).nextItems();
    const { network } = await Sandbox.getInfo(made?.sandboxId ?? '', service());
    expect(network).toMatchObject({ allowOut: ['mine.test'] });
    // The agent is prewarmed without a model call: its token is invalid until its session exists.
    expect(world.parts.model.served().entries).toEqual([]);

    const requestId = `new-${crypto.randomUUID()}`;
    const body = { requestId, draftId, prompt: 'Look around' };
    const sessionId = await create(body);
    expect(sessionId).toBe(waiting?.sessionId);
    expect(await create(body)).toBe(sessionId);
    const state = await world.rest(sessionId);
    expect(state.activity).toEqual({ status: 'idle' });

    const tools = (await world.events(sessionId)).flatMap(({ type, data }) =>
      type === 'tool.finished' ? [data] : [],
    );
    expect(tools.map(({ status }) => status)).toEqual(tools.map(() => 'completed'));
    expect(tools).toHaveLength(4);
    expect(JSON.stringify(tools)).toContain('Say hello twice.');
    const first = world.parts.model.served().entries.find(({ kind }) => kind === 'turn');
    const { inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = first?.usage ?? {};
    expect(inputTokens + cacheReadTokens + cacheWriteTokens).toBeGreaterThan(10_000);

    // The pooled agent was not restarted.
    expect(await agentStartedAt(state)).toBeLessThan(state.createdAt);
    expect(await inside(state, 'cat */two.txt')).toContain('two\n');
    const trace = Trace.parse(
      await (await world.call('GET', `/api/sessions/${sessionId}/trace`)).json(),
    );
    expect(trace.spans.map(({ name }) => name)).toContain('agent.launch');
  });

  it('[WM8] after a claim the warm pool is refilled for any session; a crash meanwhile loses and leaks nothing', async () => {
    // Restart in the middle of the refill, if the timing allows it.
    await until(async () => (await sandboxes()).length === 2);
    await world.parts.restartPlane();
    // On a busy machine a session's own sandbox may be paused by now.
    const spare = async () =>
      (await sandboxes()).filter(
        (one) => one.state === 'paused' && !created.has(one.sessionId ?? ''),
      );
    await until(async () => (await spare()).length === 1);
    expect(await sandboxes()).toHaveLength(2);
    // The sandbox is paused a moment before the pool has stored it: a session that starts in between gets another one, and
    // each of those costs a sandbox.
    let sessionId = '';
    await until(async () => {
      const waiting = (await spare()).map((one) => one.sessionId);
      if (waiting.length === 0) return false;
      await new Promise((resolve) => setTimeout(resolve, 500));
      sessionId = await create({ requestId: `new-${crypto.randomUUID()}` });
      return waiting.includes(sessionId);
    });
    await until(async () => (await world.state(sessionId)).sandbox.status === 'running');
  });

  it('[AC8] a pooled agent has the servers and instructions of the settings, and gets the repository’s without a restart', async () => {
    const clocked = join(world.folder, 'clocked');
    await write(clocked, { 'tools/clock.cjs': CLOCK });
    await git(clocked, 'init', '-q', '-b', 'main');
    await git(clocked, 'add', '-A');
    await git(clocked, 'commit', '-q', '-m', 'first');
    const added = { location: clocked, instructions: 'Prefer trees.' };
    await world.call('POST', '/api/repositories', added);
    const command = ['node', 'tools/clock.cjs'];
    const servers = [{ kind: 'local', name: 'clock', command }];
    await world.call('PATCH', '/api/settings', { agent: { servers } });
    // The pooled agents predate the settings; the next one does not.
    await create({ requestId: `new-${crypto.randomUUID()}` });
    const draftId = createId('drf');
    await draft(draftId);
    await until(async () => (await draft(draftId)).status === 'ready');

    const requestId = `new-${crypto.randomUUID()}`;
    const prompt = 'What time is it?';
    const sessionId = await create({ requestId, draftId, repository: clocked, prompt });
    const state = await world.rest(sessionId);
    expect(state.activity).toEqual({ status: 'idle' });
    const events = await world.events(sessionId);
    expect(JSON.stringify(events)).toContain('It is noon.');
    expect(events.map(({ type }) => type)).not.toContain('tool-servers.missed');
    expect(world.parts.newestRequest()).toContain('Prefer trees.');
    expect(await agentStartedAt(state)).toBeLessThan(state.createdAt);
  });

  it('[WM9] a released draft leaves no sandbox when the pool size is 0', async () => {
    const others = created.size;
    const draftId = createId('drf');
    await draft(draftId);
    await until(async () => (await draft(draftId)).status === 'ready');
    await world.call('PATCH', '/api/settings', { warm: { size: 0 } });
    await world.call('DELETE', `/api/drafts/${draftId}`);
    await until(async () => (await sandboxes()).length === others);
    expect(await draft(createId('drf'))).toMatchObject({ status: 'none', expiresAt: null });
    expect(await sandboxes()).toHaveLength(others);
  });
});
