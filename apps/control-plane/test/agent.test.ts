/** The real OpenCode in a real sandbox, driven through one turn after another. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Agent } from '../src/agent/port.ts';
import { agentRules } from './support/agent-rules.ts';
import { AgentWorld } from './support/agent-world.ts';
import { MemorySession } from './support/memory-session.ts';

const TIMEOUT_MS = 90_000;
const COMPLETED = { kind: 'finish', outcome: { kind: 'completed' } };

let world: AgentWorld;
let agent: Agent;

beforeAll(async () => {
  world = await AgentWorld.open(agentRules);
  agent = await world.launch();
}, TIMEOUT_MS);

afterAll(() => world?.close(), TIMEOUT_MS);

describe('a turn with the real agent', { timeout: TIMEOUT_MS }, () => {
  it('[AG1] works through a task of many steps; tokens and cost are those that the model served', async () => {
    await world.become({
      'sum.js': 'module.exports = (a, b) => a - b;\n',
      'difference.js': 'module.exports = (a, b) => a + b;\n',
      'test.js':
        "const ok = require('./sum.js')(3, 2) === 5 && require('./difference.js')(3, 2) === 1;\nconsole.log(ok ? 'right' : 'wrong');\nprocess.exit(ok ? 0 : 1);\n",
    });
    const session = new MemorySession();
    expect(await session.turn(agent, { text: 'make add and subtract work' })).toEqual(COMPLETED);

    expect(await world.shell('cd repository && node test.js')).toBe('right\n');
    expect(session.tools()).toEqual([
      'todowrite completed',
      'read completed',
      'edit completed',
      'edit completed',
      'bash completed',
      'edit completed',
      'bash completed',
      'todowrite completed',
    ]);
    expect(session.of('tool.finished').map(({ exitCode }) => exitCode)).toEqual(
      expect.arrayContaining([1, 0]),
    );
    expect(session.state.todos.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(session.texts().at(-1)).toContain('Both work now: right');
    const edits = session.of('tool.finished').flatMap((event) => event.edits);
    expect(edits.map(({ path, additions }) => [path.split('/').at(-1), additions])).toEqual([
      ['sum.js', 1],
      ['difference.js', 1],
      ['difference.js', 1],
    ]);
    expect(session.live.map(({ data }) => data.delta).join('')).toContain('I look around.');
    expect(session.checkpoints).toBeGreaterThan(0);

    const { usage, costUsd } = world.model.served(session.state.agentSessionId ?? '').totals;
    const { tokens } = session.state.usage;
    expect({
      inputTokens: tokens.input,
      outputTokens: tokens.output,
      reasoningTokens: tokens.reasoning,
      cacheReadTokens: tokens.cacheRead,
      cacheWriteTokens: tokens.cacheWrite,
    }).toEqual(usage);
    expect(costUsd).toBeGreaterThan(0);
    expect(session.state.usage.costUsd).toBeCloseTo(costUsd, 10);
    expect(session.state.turn).toMatchObject({ step: 6, maxSteps: 25, isOver: true });
  });

  it('[AG2] a sub-agent’s work is shown as its own, and its cost counts', async () => {
    const before = world.model.served().entries.length;
    const session = new MemorySession();
    expect(await session.turn(agent, { text: 'delegate this' })).toEqual(COMPLETED);
    const entries = world.model.served().entries.slice(before);
    const cost = entries.reduce((sum, entry) => sum + (entry.costUsd ?? 0), 0);
    expect(session.state.usage.costUsd).toBeCloseTo(cost, 10);
    expect(session.state.usage.steps).toBe(6);
    expect(session.state.turn?.step).toBe(2);
    expect(session.of('subagent.started').map(({ title }) => title)).toHaveLength(2);
    expect(session.of('subagent.finished').map(({ status }) => status)).toEqual([
      'completed',
      'completed',
    ]);
    const own = session.of('tool.finished').filter(({ subagentId }) => subagentId !== null);
    expect(own.map(({ tool }) => tool)).toEqual(['bash', 'bash']);
  });

  it('an unknown price gives no cost', async () => {
    const session = new MemorySession();
    await session.turn(agent, { text: 'hello', model: 'demo/unpriced', isPriced: false });
    expect(session.state.usage).toMatchObject({ costUsd: 0, unpricedSteps: 1 });
  });
});

describe.concurrent('faults of the model’s provider', { timeout: TIMEOUT_MS }, () => {
  const provoke = async (fault: string, model = 'demo/demo') => {
    const session = new MemorySession();
    const end = await session.turn(agent, { text: `fault ${fault}`, model });
    const entries = world.model.served(session.state.agentSessionId ?? '').entries;
    return { session, end, outcomes: entries.map(({ outcome }) => outcome) };
  };

  it.each([
    ['rate-limit-short', 'refused'],
    ['server-error', 'refused'],
    ['cut-stream', 'broken'],
    ['malformed-json', 'broken'],
    ['error-in-stream', 'broken'],
  ])(
    '[AG3] %s: the agent waits, tries again and completes, and the wait is shown',
    async (fault, outcome) => {
      const { session, end, outcomes } = await provoke(fault);
      expect(end).toEqual(COMPLETED);
      expect(outcomes).toEqual([outcome, 'served']);
      expect(session.of('provider.retrying').length).toBeGreaterThan(0);
      expect(session.texts().at(-1)).toContain('recovered and complete');
      expect(session.state.turn?.provider).toBeNull();
    },
  );

  it.each(['hang-before-headers', 'hang-mid-stream'])(
    '[AG3] %s: ended by our time limit, then completes',
    async (fault) => {
      const { session, end } = await provoke(fault, 'hasty/demo');
      expect(end).toEqual(COMPLETED);
      expect(session.texts().at(-1)).toContain('recovered and complete');
    },
  );

  it.each(['malformed-sse', 'bad-tool-json'])('[AG3] %s: completes', async (fault) => {
    const { session, end } = await provoke(fault);
    expect(end).toEqual(COMPLETED);
    expect(session.texts().at(-1)).toContain('recovered and complete');
  });

  it('[AG3] context-overflow: the conversation is compacted and goes on', async () => {
    const { session, end } = await provoke('context-overflow');
    expect(end).toEqual(COMPLETED);
    expect(session.of('conversation.compacted')).toHaveLength(1);
    expect(session.texts().at(-1)).toContain('recovered and complete');
  });

  it.each([
    ['unauthorized', 'credentials-refused', 'user-action'],
    ['http-error', 'credentials-refused', 'user-action'],
    ['unpaid', 'payment-required', 'user-action'],
    ['bad-request', 'internal', 'fatal'],
    ['empty-answer', 'empty-answer', 'transient'],
  ])(
    '[AG4] %s fails the turn as %s, for the session to retry or not',
    async (fault, code, category) => {
      const { session, end } = await provoke(fault);
      expect(end).toMatchObject({ kind: 'fail', error: { code, category } });
      // The words of a provider may hold parts of a key.
      expect(JSON.stringify([end, session.events])).not.toMatch(
        /Incorrect API key|No access to this/,
      );
    },
  );

  it('[AG5] a provider that parks the agent for hours pauses the turn, with the time', async () => {
    const { session, end } = await provoke('rate-limit-hours');
    expect(end).toMatchObject({
      kind: 'finish',
      outcome: { kind: 'paused', reason: 'provider-parked' },
    });
    expect((session.state.pause?.notBefore ?? 0) - Date.now()).toBeGreaterThan(6_000_000);
  });

  it('[AG5] an answer that is cut at the model’s limit pauses the turn', async () => {
    const session = new MemorySession();
    expect(await session.turn(agent, { text: 'write a novel' })).toMatchObject({
      outcome: { kind: 'paused', reason: 'output-limit' },
    });
    expect(session.texts()).toEqual(['Once upon a']);
  });

  it('[AG4] a model that does not exist fails the turn', async () => {
    const session = new MemorySession();
    const end = await session.turn(agent, { text: 'hello', model: 'demo/no-such-model' });
    expect(end).toMatchObject({ kind: 'fail' });
  });
});

describe('stopping', { timeout: TIMEOUT_MS }, () => {
  it('[AG6] ends a streaming answer within a second and keeps what was said', async () => {
    const session = new MemorySession();
    let stoppedAt = 0;
    session.onLive = () => {
      if (session.live.length !== 4) return;
      stoppedAt = Date.now();
      session.stopping.abort('ada');
    };
    const end = await session.turn(agent, { text: 'fault slow-drip' });
    expect(end).toEqual({ kind: 'finish', outcome: { kind: 'stopped', by: 'ada' } });
    expect(Date.now() - stoppedAt).toBeLessThan(slow(1000));
    expect(session.texts().join('')).toMatch(/^recovered and complete/);
    const { entries } = world.model.served(session.state.agentSessionId ?? '');
    await vi.waitFor(() => expect(entries.map(({ outcome }) => outcome)).toEqual(['aborted']));
  });

  it('[AG6] ends a running command within two seconds, and a sub-agent with its parent', async () => {
    const session = new MemorySession();
    let stoppedAt = 0;
    session.onEvent = ({ type, data }) => {
      if (type !== 'tool.started' || !('input' in data) || !data.input.includes('sleep')) return;
      stoppedAt = Date.now();
      session.stopping.abort('ada');
    };
    await world.become({ 'README.md': '# Repository\n' });
    const end = await session.turn(agent, { text: 'long command' });
    expect(end).toEqual({ kind: 'finish', outcome: { kind: 'stopped', by: 'ada' } });
    expect(Date.now() - stoppedAt).toBeLessThan(slow(2000));
    expect(session.of('tool.finished')).toHaveLength(1);
    expect(session.state.turn?.runningTools).toEqual([]);
    expect(await world.read('log.txt')).toBe('started\n');
    await vi.waitFor(async () => expect(await world.shell('pgrep -c sleep || true')).toBe('0\n'));
  });
});

/** A loaded machine is not the agent's fault. */
function slow(ms: number): number {
  return ms * 3;
}
