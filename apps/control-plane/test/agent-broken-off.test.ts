/** The real OpenCode, interrupted while it gets ready for a folder: what it had begun stays broken in its memory. */
import { createId } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../src/agent/port.ts';
import { agentRules } from './support/agent-rules.ts';
import { AgentWorld } from './support/agent-world.ts';
import { MemorySession } from './support/memory-session.ts';

const TIMEOUT_MS = 240_000;
const COMPLETED = { kind: 'finish', outcome: { kind: 'completed' } };
const MODEL = 'demo/demo';

describe('an agent that was broken off', { timeout: TIMEOUT_MS }, () => {
  let world: AgentWorld;
  let agent: Agent;
  beforeAll(async () => {
    world = await AgentWorld.open(agentRules);
    agent = await world.launch();
  }, TIMEOUT_MS);
  afterAll(() => world?.close(), TIMEOUT_MS);

  /** Stops a first prompt at the moment at which it is accepted. */
  async function breakOff(): Promise<void> {
    const sessionId = await agent.openSession('Broken off');
    const messageId = `msg_${crypto.randomUUID().replaceAll('-', '')}`;
    const prompt = { sessionId, messageId, text: 'hello', attachments: [], model: MODEL };
    await agent.prompt({ ...prompt, mode: 'build' });
    for (let i = 0; i < 10; i++) await agent.abort(sessionId);
  }

  it('[AG17] what it cannot do for that reason is transient, and in a fresh process it can', async () => {
    await breakOff();
    const session = new MemorySession();
    const request = { turnId: createId('turn'), text: 'hello' };
    const first = await session.turn(agent, request);
    // Whether anything was broken depends on the moment; that it is never final does not.
    if (first.kind === 'fail') expect(first.error.category).toBe('transient');
    else expect(first).toEqual(COMPLETED);
    agent = await world.launch({}, null, true);
    expect(await session.turn(agent, { ...request, attempt: 2 })).toEqual(COMPLETED);
  });

  it('[AG17] a rehearsal leaves it able to work', async () => {
    agent = await world.launch({}, null, true);
    expect(await agent.rehearse(MODEL)).toBe(true);
    const session = new MemorySession();
    expect(await session.turn(agent, { text: 'hello' })).toEqual(COMPLETED);
  });
});
