import { join } from 'node:path';
import type { AgentServer } from '@ship/protocol';
import { Sandbox } from 'e2b';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, write } from './git/support/git.ts';
import { WholeWorld } from './support/whole-world.ts';
import { API_KEY } from './support/world-parts.ts';

const MINUTE_MS = 60_000;
const SECRET = 'planted-weather-key-8813';

/** A minimal MCP server over stdio; its tool reports the length of its key. */
const WEATHER = `
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const results = {
    initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'weather', version: '1' } }),
    'tools/list': () => ({ tools: [{ name: 'forecast', description: 'Tells the weather', inputSchema: { type: 'object', properties: { city: { type: 'string' } } } }] }),
    'tools/call': () => ({ content: [{ type: 'text', text: 'Sunny in ' + params.arguments.city + ', by a key of ' + process.env.KEY.length }] }),
  };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method]?.() ?? {} }));
});
`;

/** A minimal MCP server over HTTP; its tool reports the length of the authorization header. */
const TIDES = `
require('node:http').createServer(async (request, answer) => {
  if (request.method !== 'POST') return answer.writeHead(405).end();
  let text = '';
  for await (const piece of request) text += piece;
  const { id, method, params } = JSON.parse(text);
  if (id === undefined) return answer.writeHead(202).end();
  const results = {
    initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'tides', version: '1' } }),
    'tools/list': () => ({ tools: [{ name: 'next', description: 'Tells the tides', inputSchema: { type: 'object', properties: {} } }] }),
    'tools/call': () => ({ content: [{ type: 'text', text: 'High at noon, by a header of ' + request.headers.authorization.length }] }),
  };
  answer.writeHead(200, { 'content-type': 'application/json' });
  answer.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method]?.() ?? {} }));
}).listen(7345, '127.0.0.1');
`;

/** Starts the HTTP server in the sandbox, which cannot reach one outside. */
const SETUP = `setsid node tools/tides.cjs > /dev/null 2>&1 < /dev/null &
for _ in $(seq 100); do (: < /dev/tcp/127.0.0.1/7345) 2> /dev/null && exit 0; sleep 0.1; done
exit 1
`;

const RULES = [
  {
    name: 'ask',
    when: { prompt: { regex: 'Ask for the weather' } },
    steps: [
      {
        calls: [
          { tool: 'weather_forecast', input: { city: 'Rome' } },
          { tool: 'tides_next', input: {} },
          { tool: 'skill', input: { name: 'juggling' } },
        ],
      },
      { say: 'They say: {{result.0}}' },
    ],
  },
  { name: 'greet', when: { prompt: { regex: 'Greet' } }, steps: [{ say: 'Hello.' }] },
];

const SERVERS: AgentServer[] = [
  {
    kind: 'local',
    name: 'weather',
    command: ['node', 'tools/weather.cjs'],
    env: { KEY: '{secret:WEATHER_KEY}' },
    isEnabled: true,
  },
  {
    kind: 'remote',
    name: 'tides',
    url: 'http://127.0.0.1:7345/mcp',
    headers: { authorization: 'Bearer {secret:WEATHER_KEY}' },
    isEnabled: true,
  },
  { kind: 'local', name: 'broken', command: ['no-such-program'], env: {}, isEnabled: true },
  {
    kind: 'remote',
    name: 'unreachable',
    url: 'http://127.0.0.1:9/mcp',
    headers: { authorization: 'Bearer {secret:WEATHER_KEY}' },
    isEnabled: true,
  },
  {
    kind: 'remote',
    name: 'keyless',
    url: 'http://127.0.0.1:9/mcp',
    headers: { authorization: 'Bearer {secret:NOT_THERE}' },
    isEnabled: true,
  },
  { kind: 'local', name: 'off', command: ['no-such-program'], env: {}, isEnabled: false },
];

const JUGGLING = {
  name: 'juggling',
  description: 'Three balls: "how to".',
  text: 'Throw the first ball.',
};

/** With the real control plane, sandbox, agent and forge; only the model is scripted. */
describe('instructions, skills and MCP servers of the settings', { timeout: 3 * MINUTE_MS }, () => {
  let world: WholeWorld;
  let sessionId: string;

  beforeAll(async () => {
    world = await WholeWorld.open(RULES, 0, { seesRequests: true });
    const repository = join(world.folder, 'tools');
    await write(repository, {
      'tools/weather.cjs': WEATHER,
      'tools/tides.cjs': TIDES,
      '.ship/setup.sh': SETUP,
    });
    await git(repository, 'init', '-q', '-b', 'main');
    await git(repository, 'add', '-A');
    await git(repository, 'commit', '-q', '-m', 'first');
    await world.call('PUT', '/api/secrets/WEATHER_KEY', { value: SECRET });
    await world.call('POST', '/api/repositories', {
      location: repository,
      instructions: 'Prefer trees to lists here.',
    });
    await settings({
      instructions: 'Close every file handle.',
      skills: [JUGGLING, { ...JUGGLING, name: 'sleeping', isEnabled: false }],
      servers: SERVERS,
    });
    sessionId = await world.newSession(repository, 'Ask for the weather');
    await rest();
  }, 3 * MINUTE_MS);
  afterAll(() => world.close(), MINUTE_MS);

  const settings = (agent: Record<string, unknown>) =>
    world.call('PATCH', '/api/settings', { agent });
  const rest = async () => {
    const state = await world.rest(sessionId);
    expect(state.activity).toEqual({ status: 'idle' });
    return state;
  };
  const prompt = async () => {
    const { turnsFinished } = await world.state(sessionId);
    const body = { requestId: `more-${crypto.randomUUID()}`, text: 'Greet' };
    await world.call('POST', `/api/sessions/${sessionId}/prompts`, body);
    await expect
      .poll(async () => (await world.state(sessionId)).turnsFinished, { timeout: 2 * MINUTE_MS })
      .toBe(turnsFinished + 1);
    await rest();
  };
  const agentPid = async () => {
    const { sandbox } = await world.state(sessionId);
    const { apiUrl, sandboxUrl } = world.parts.sandboxes;
    const sandboxId = 'sandboxId' in sandbox ? sandbox.sandboxId : '';
    const inside = await Sandbox.connect(sandboxId, { apiKey: API_KEY, apiUrl, sandboxUrl });
    return (await inside.commands.run('cat ~/.ship/agent/pid')).stdout.trim();
  };

  it('[AC4] the agent calls tools of a local and a remote server and reads a skill; all are in the timeline', async () => {
    const tools = (await world.events(sessionId)).flatMap(({ type, data }) =>
      type === 'tool.finished' ? [data] : [],
    );
    expect(tools.map(({ tool, status }) => `${tool} ${status}`).sort()).toEqual([
      'skill completed',
      'tides_next completed',
      'weather_forecast completed',
    ]);
    expect(JSON.stringify(tools)).toContain(`Sunny in Rome, by a key of ${SECRET.length}`);
    expect(JSON.stringify(tools)).toContain(`by a header of ${'Bearer '.length + SECRET.length}`);
    expect(JSON.stringify(tools)).toContain('Throw the first ball.');
  });

  it('[AC5] the model receives the instructions of the workspace and of the repository', () => {
    const request = world.parts.newestRequest();
    expect(request).toContain('Close every file handle.');
    expect(request).toContain('Prefer trees to lists here.');
    expect(request).toContain('juggling');
    expect(request).not.toContain('sleeping');
  });

  it('[AC6] a server that fails or lacks its secret is reported and stops nothing; no secret leaks', async () => {
    const missed = async () =>
      (await world.events(sessionId)).flatMap(({ type, data }) =>
        type === 'tool-servers.missed' ? data.servers : [],
      );
    await expect.poll(missed, { timeout: MINUTE_MS }).not.toEqual([]);
    const servers = await missed();
    expect(servers.map(({ name }) => name).sort()).toEqual(['broken', 'keyless', 'unreachable']);
    expect(servers.find(({ name }) => name === 'keyless')?.reason).toContain('NOT_THERE');
    expect(JSON.stringify(await world.events(sessionId))).not.toContain(SECRET);
  });

  it('[AC7] a change applies to the next turn; changed instructions do not restart the agent', async () => {
    await settings({
      instructions: 'Open a window.',
      skills: [],
      servers: SERVERS.map((server) => ({ ...server, isEnabled: false })),
    });
    await prompt();
    const request = world.parts.newestRequest();
    expect(request).toContain('Open a window.');
    for (const old of ['Close every file', 'Three balls', 'Tells the weather'])
      expect(request).not.toContain(old);

    const pid = await agentPid();
    await settings({ instructions: '' });
    await prompt();
    expect(world.parts.newestRequest()).not.toContain('Open a window.');
    expect(world.parts.newestRequest()).toContain('Prefer trees');
    expect(await agentPid()).toBe(pid);
  });
});
