/** The real OpenCode when it is killed, paused, loses its data, or is aborted while it starts. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createId, fail } from '@ship/protocol';
import type { Agent } from '../src/agent/port.ts';
import { agentRules } from './support/agent-rules.ts';
import { AgentWorld } from './support/agent-world.ts';
import { Crash, MemorySession } from './support/memory-session.ts';

const TIMEOUT_MS = 240_000;
const COMPLETED = { kind: 'finish', outcome: { kind: 'completed' } };
const MODEL = 'demo/demo';

const NOTE = { filename: 'note.txt', mime: 'text/plain', url: 'data:text/plain;base64,aGk=' };

/** An agent whose prompts fail. */
const unreachable = (agent: Agent): Agent =>
  new Proxy(agent, {
    get(target, name) {
      if (name === 'prompt')
        return async () => fail('unavailable', 'The agent is away.', 'Try again.');
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });

let world: AgentWorld;
let agent: Agent;

beforeAll(async () => {
  world = await AgentWorld.open(agentRules);
  agent = await world.launch();
}, TIMEOUT_MS);

afterAll(() => world?.close(), TIMEOUT_MS);

/** An agent whose status arrives only after a finished text on its stream. */
function delayStatus(real: Agent): Agent {
  const hasText = Promise.withResolvers<void>();
  async function* signals(signal: AbortSignal, onOpen: () => void) {
    for await (const item of real.signals(signal, onOpen)) {
      yield item;
      if (item.kind === 'idle' || (item.kind === 'text' && item.isDone)) hasText.resolve();
    }
  }
  const conversationStatus = async (sessionId: string) => {
    await hasText.promise;
    return real.conversationStatus(sessionId);
  };
  return new Proxy(real, {
    get: (target, name) => {
      if (name === 'signals') return signals;
      if (name === 'conversationStatus') return conversationStatus;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Process id and state of the agent, as `ps` in the sandbox prints them. */
const agentStatus = async () =>
  (await world.shell('ps -o pid=,stat= -p $(cat .ship/agent/pid)')).trim().split(/\s+/);

describe('deaths and restarts', { timeout: TIMEOUT_MS }, () => {
  it.each([0, 1, 3, 5])(
    '[AG12] the session object crashes at write number %i: the turn resumes, nothing is sent or stored twice',
    async (writes) => {
      await world.become({ 'README.md': '# Repository\n' });
      const session = new MemorySession();
      const request = { turnId: createId('turn'), text: 'count to four' };
      session.recordsLeft = writes;
      await expect(session.turn(agent, request)).rejects.toThrow(Crash);
      session.recordsLeft = Infinity;
      expect(await session.turn(agent, request)).toEqual(COMPLETED);
      expect(await world.read('count.txt')).toBe('one\ntwo\nthree\nfour\n');
      expect(session.texts()).toEqual(['one.', 'two.', 'three.', 'four.', 'counted']);
      expect(session.tools()).toHaveLength(4);
      expect(session.of('tool.started')).toHaveLength(4);
      expect(session.state.turn?.step).toBe(5);
      const { entries, totals } = world.model.served(session.state.agentSessionId ?? '');
      expect(entries.map(({ step }) => step)).toEqual([0, 1, 2, 3, 4]);
      expect(session.state.usage.costUsd).toBeCloseTo(totals.costUsd, 10);
    },
  );

  it('[AG12] missed events are stored before those that the reopened stream delivers', async () => {
    await world.become({ 'README.md': '# Repository\n' });
    const session = new MemorySession();
    const request = { turnId: createId('turn'), text: 'count slowly' };
    // The first text is stored, the second is missed.
    session.recordsLeft = 5;
    await expect(session.turn(agent, request)).rejects.toThrow(Crash);
    session.recordsLeft = Infinity;
    expect(await session.turn(delayStatus(agent), request)).toEqual(COMPLETED);
    expect(session.texts()).toEqual(['one.', 'two.', 'three.', 'four.', 'counted']);
  });

  it('[AG13] kill -9 of the agent mid-turn: the turn fails as transient, and the next attempt continues it', async () => {
    await world.become({ 'README.md': '# Repository\n' });
    const session = new MemorySession();
    const request = { turnId: createId('turn'), text: 'long command' };
    session.onEvent = ({ type }) => {
      if (type === 'tool.started')
        void world.shell('touch repository/go; kill -9 $(cat .ship/agent/pid)');
      session.onEvent = type === 'tool.started' ? () => undefined : session.onEvent;
    };
    expect(await session.turn(agent, request)).toMatchObject({
      kind: 'fail',
      error: { category: 'transient' },
    });
    expect(session.tools()).toEqual(['bash interrupted']);
    agent = await world.launch();
    expect(await session.turn(agent, { ...request, attempt: 2 })).toEqual(COMPLETED);
    expect(session.texts().at(-1)).toBe('long command is done');
    expect(session.tools()).toEqual(['bash interrupted', 'bash completed']);
    expect(session.of('agent.prompted').map(({ kind }) => kind)).toEqual(['prompt', 'continue']);
    expect(session.of('agent.session-opened')).toHaveLength(1);
  });

  it('[AG13] an agent that never received its prompt gets the prompt again, not a continuation', async () => {
    const session = new MemorySession();
    const prompt = { promptId: createId('prm'), text: 'hello', attachments: [NOTE] };
    const request = { ...prompt, turnId: createId('turn') };
    expect(await session.turn(unreachable(agent), request)).toMatchObject({ kind: 'fail' });
    expect(await session.turn(unreachable(agent), { ...request, attempt: 2 })).toMatchObject({
      kind: 'fail',
    });
    // A person who retries starts another turn for the same prompt.
    expect(await session.turn(agent, { ...prompt, turnId: createId('turn') })).toEqual(COMPLETED);
    expect(session.of('agent.prompted').map(({ kind }) => kind)).toEqual(
      Array.from({ length: 3 }, () => 'prompt'),
    );
    const exported = await agent.exportSession(session.state.agentSessionId ?? '');
    expect(exported).toContain(NOTE.filename);
    expect(session.texts()).toEqual(['Hello, it is me.']);
  });

  it('[AG13] a prompt that was never delivered is not mistaken for the previous one', async () => {
    const session = new MemorySession();
    expect(await session.turn(agent, { text: 'hello' })).toEqual(COMPLETED);
    const prompt = { promptId: createId('prm'), text: 'count to four' };
    await world.become({ 'README.md': '# Repository\n' });
    expect(await session.turn(unreachable(agent), prompt)).toMatchObject({ kind: 'fail' });
    expect(await session.turn(agent, prompt)).toEqual(COMPLETED);
    expect(session.texts().at(-1)).toBe('counted');
  });

  it('[AG13] another turn for the same prompt continues the agent’s conversation', async () => {
    const session = new MemorySession();
    const prompt = { promptId: createId('prm'), text: 'hello' };
    expect(await session.turn(agent, prompt)).toEqual(COMPLETED);
    expect(await session.turn(agent, prompt)).toEqual(COMPLETED);
    expect(session.of('agent.prompted').map(({ kind }) => kind)).toEqual(['prompt', 'continue']);
  });

  it('[AG18] a paused agent uses no CPU, and the next launch resumes the same process', async () => {
    const session = new MemorySession();
    await session.turn(agent, { text: 'hello' });
    const [pid] = await agentStatus();
    await agent.rest();
    // SIGSTOP is asynchronous: a busy thread stops at its next tick.
    const rests = async () =>
      expect(await agentStatus()).toEqual([pid, expect.stringMatching(/^T/)]);
    try {
      await vi.waitFor(rests, { timeout: 10_000, interval: 50 });
    } finally {
      // A paused agent would hang the next tests.
      agent = await world.launch();
    }
    expect(await agentStatus()).toEqual([pid, expect.stringMatching(/^[SR]/)]);
    expect(await session.turn(agent, { text: 'hello' })).toEqual(COMPLETED);
    expect(session.of('agent.session-opened')).toHaveLength(1);
  });

  it('[AG14] a conversation goes on from its export where the agent’s own record is gone', async () => {
    const session = new MemorySession();
    await session.turn(agent, { text: 'hello' });
    const { agentSessionId } = session.state;
    const exported = await agent.exportSession(agentSessionId ?? '');
    await world.shell('kill -9 $(cat .ship/agent/pid); rm -rf .local/share/opencode');
    agent = await world.launch({}, exported);
    expect(await session.turn(agent, { text: 'hello' })).toEqual(COMPLETED);
    expect(session.of('agent.session-opened')).toHaveLength(1);
    expect(session.state.agentSessionId).toBe(agentSessionId);
    const again = JSON.parse(await agent.exportSession(agentSessionId ?? '')) as {
      messages: unknown[];
    };
    expect(again.messages).toHaveLength(4);
  });

  it('[AG14] a lost conversation starts again, and the agent learns that it was lost', async () => {
    const session = new MemorySession();
    await session.turn(agent, { text: 'hello' });
    await world.shell('kill -9 $(cat .ship/agent/pid); rm -rf .local/share/opencode');
    agent = await world.launch();
    expect(await session.turn(agent, { text: 'hello' })).toEqual(COMPLETED);
    expect(session.of('agent.session-opened')).toHaveLength(2);
    const exported = await agent.exportSession(session.state.agentSessionId ?? '');
    expect(exported).toContain('was lost with its sandbox');
  });
});

/** Aborts a first prompt as soon as it is accepted. */
async function abortFirstPrompt(): Promise<void> {
  const sessionId = await agent.openSession('Aborted');
  const messageId = `msg_${crypto.randomUUID().replaceAll('-', '')}`;
  const prompt = { sessionId, messageId, text: 'hello', attachments: [], model: MODEL };
  await agent.prompt({ ...prompt, mode: 'build' });
  for (let i = 0; i < 10; i++) await agent.abort(sessionId);
}

describe('an agent that was aborted', { timeout: TIMEOUT_MS }, () => {
  it('[AG17] a failure after the abort is transient, and a fresh process succeeds', async () => {
    await abortFirstPrompt();
    const session = new MemorySession();
    const request = { turnId: createId('turn'), text: 'hello' };
    const first = await session.turn(agent, request);
    // Whether the abort breaks anything depends on timing; the failure must never be fatal.
    if (first.kind === 'fail') expect(first.error.category).toBe('transient');
    else expect(first).toEqual(COMPLETED);
    agent = await world.launch({}, null, true);
    expect(await session.turn(agent, { ...request, attempt: 2 })).toEqual(COMPLETED);
  });

  it('[AG17] a prewarm leaves it able to work', async () => {
    agent = await world.launch({}, null, true);
    expect(await agent.prewarm(MODEL)).toBe(true);
    const session = new MemorySession();
    expect(await session.turn(agent, { text: 'hello' })).toEqual(COMPLETED);
  });
});
