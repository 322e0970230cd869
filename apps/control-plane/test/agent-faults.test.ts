/** The real OpenCode against a model provider that injects faults. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../src/agent/port.ts';
import { agentRules } from './support/agent-rules.ts';
import { AgentWorld } from './support/agent-world.ts';
import { MemorySession } from './support/memory-session.ts';

const TIMEOUT_MS = 180_000;
const COMPLETED = { kind: 'finish', outcome: { kind: 'completed' } };

let world: AgentWorld;
let agent: Agent;

beforeAll(async () => {
  world = await AgentWorld.open(agentRules);
  agent = await world.launch();
}, TIMEOUT_MS);

afterAll(() => world?.close(), TIMEOUT_MS);

async function provoke(fault: string, model = 'demo/demo') {
  const session = new MemorySession();
  const end = await session.turn(agent, { text: `fault ${fault}`, model });
  const entries = world.model.served(session.state.agentSessionId ?? '').entries;
  return { session, end, outcomes: entries.map(({ outcome }) => outcome) };
}

describe.concurrent('faults of the model’s provider', { timeout: TIMEOUT_MS }, () => {
  it.each([
    ['rate-limit-short', 'refused', 'rate-limited'],
    ['server-error', 'refused', 'unavailable'],
    ['cut-stream', 'broken', 'unreachable'],
    ['malformed-json', 'broken', 'unknown'],
    ['error-in-stream', 'broken', 'unavailable'],
  ])(
    '[AG3] %s: the agent backs off, retries and completes, and the session shows the reason for the wait',
    async (fault, outcome, kind) => {
      const { session, end, outcomes } = await provoke(fault);
      expect(end).toEqual(COMPLETED);
      expect(outcomes).toEqual([outcome, 'served']);
      const retries = session.of('provider.retrying');
      expect(retries.length).toBeGreaterThan(0);
      expect(retries[0]?.reason).toEqual({ kind, message: expect.stringMatching(/^\w/) });
      expect(session.texts().at(-1)).toContain('recovered and complete');
      expect(session.state.turn?.provider).toBeNull();
    },
  );

  it.each(['hang-before-headers', 'hang-mid-stream'])(
    '[AG3] %s: ended by the time limit, then completes',
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
    ['empty-for-ever', 'empty-answer', 'transient'],
  ])(
    '[AG4] %s fails the turn as %s; the session decides whether to retry',
    async (fault, code, category) => {
      const { session, end } = await provoke(fault);
      expect(end).toMatchObject({ kind: 'fail', error: { code, category } });
      // A provider's message may contain parts of a key.
      expect(JSON.stringify([end, session.events])).not.toMatch(
        /Incorrect API key|No access to this/,
      );
    },
  );

  it('[AG5] a rate limit of hours pauses the turn, with the time at which it ends', async () => {
    const { session, end } = await provoke('rate-limit-hours');
    expect(end).toMatchObject({
      kind: 'finish',
      outcome: { kind: 'paused', reason: 'provider-parked' },
    });
    expect((session.state.pause?.notBefore ?? 0) - Date.now()).toBeGreaterThan(6_000_000);
  });

  it('[AG5] an answer that is truncated at the model’s output limit pauses the turn', async () => {
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
