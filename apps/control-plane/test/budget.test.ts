import { join } from 'node:path';
import type { DurableEvent } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, write } from './git/support/git.ts';
import { WholeWorld } from './support/whole-world.ts';

const MINUTE_MS = 60_000;
/** Enough for the expensive first calls of all three agents and a few more. */
const CAP_USD = 0.085;
const STEPS = 10;

const bash = (command: string) => ({ tool: 'bash', input: { command, description: 'count' } });
const delegate = (name: string) => ({
  tool: 'task',
  input: { description: name, prompt: `count ${name}`, subagent_type: 'general' },
});
const RULES = [
  {
    name: 'delegate',
    when: { prompt: 'let two of them count' },
    steps: [
      { calls: [delegate('one'), delegate('two')] },
      { calls: [{ tool: 'write', input: { filePath: '{{folder}}/counted.txt', content: 'x\n' } }] },
      { say: 'Counted.' },
    ],
  },
  {
    name: 'count',
    when: { prompt: { regex: 'count (one|two)' } },
    steps: [
      ...Array.from({ length: STEPS }, (_, i) => ({ calls: [bash(`echo {{match.1}} ${i}`)] })),
      { say: 'That was all.' },
    ],
  },
  {
    name: 'alone',
    when: { prompt: 'count alone' },
    steps: [
      ...Array.from({ length: STEPS }, (_, i) => ({ calls: [bash(`echo ${i}`)] })),
      { say: 'That was all.' },
    ],
  },
];

const startsOf = (events: readonly DurableEvent[]) =>
  events.flatMap(({ type, data }) => (type === 'turn.started' ? [data] : []));

/** With the real control plane, sandbox, agent and forge; only the model is scripted. */
describe('the budget of a session at work', { timeout: 4 * MINUTE_MS }, () => {
  let world: WholeWorld;
  let repository = '';
  beforeAll(async () => {
    world = await WholeWorld.open(RULES);
    repository = join(world.folder, 'counting');
    await write(repository, { 'README.md': '# Counting\n' });
    await git(repository, 'init', '-q', '-b', 'main');
    await git(repository, 'add', '-A');
    await git(repository, 'commit', '-q', '-m', 'first');
  }, 3 * MINUTE_MS);
  afterAll(() => world.close(), MINUTE_MS);

  const entries = () => world.parts.model.served().entries;
  const costOf = (of: ReturnType<typeof entries>) =>
    of.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);

  it('[BU8] parallel sub-agents exceed it by less than one call, and a raised budget continues the work', async () => {
    const before = entries().length;
    const more = { budgetUsd: CAP_USD };
    const sessionId = await world.newSession(repository, 'let two of them count', more);
    const paused = await world.rest(sessionId);
    expect(paused.activity).toMatchObject({ status: 'paused', pause: { reason: 'budget' } });
    const used = entries().slice(before);
    const mostExpensive = Math.max(...used.map(({ costUsd }) => costUsd ?? 0));
    expect(new Set(used.map(({ prompt }) => prompt)).size).toBeGreaterThanOrEqual(3);
    expect(costOf(used)).toBeGreaterThanOrEqual(CAP_USD);
    expect(costOf(used)).toBeLessThan(CAP_USD + mostExpensive);

    const requestId = `more-${crypto.randomUUID()}`;
    await world.call('PATCH', `/api/sessions/${sessionId}`, { requestId, budgetUsd: 20 });
    const done = await world.rest(sessionId);
    expect(done.activity).toEqual({ status: 'idle' });
    const events = await world.events(sessionId);
    const [first, again, ...others] = startsOf(events);
    expect(again).toMatchObject({ promptId: first?.promptId, continues: true });
    expect(others).toEqual([]);
    // The agent does not get the task again: it continues.
    const kinds = events.flatMap(({ type, data }) =>
      type === 'agent.prompted' ? [data.kind] : [],
    );
    expect(kinds).toEqual(['prompt', 'continue']);
    expect(done.git.pullRequest).not.toBeNull();
    expect(done.agent.usage.costUsd).toBeCloseTo(costOf(entries().slice(before)), 9);
  });

  it('[BU9] a turn has separate caps, in dollars and in tokens, and a person can raise them', async () => {
    await world.call('PATCH', '/api/settings', { budgets: { turnTokens: 35_500 } });
    const sessionId = await world.newSession(repository, 'count alone');
    const paused = await world.rest(sessionId);
    expect(paused.activity).toMatchObject({ status: 'paused', pause: { reason: 'budget' } });
    // The agent takes a number such as 500 anywhere in a message for a transient fault, and would retry for a minute.
    const types = (await world.events(sessionId)).map(({ type }) => type);
    expect(types).not.toContain('provider.retrying');
    const { pause } = paused.activity as { pause: { message: string } };
    expect(pause.message).toMatch(/budget of this turn is spent: \d+ of 35500 tokens/);
    await world.call('PATCH', '/api/settings', { budgets: { turnTokens: null, turnUsd: 20 } });
    await world.call('POST', `/api/sessions/${sessionId}/retry`, {
      requestId: `again-${crypto.randomUUID()}`,
    });
    const done = await world.rest(sessionId);
    expect(done.activity).toEqual({ status: 'idle' });
    await world.call('PATCH', '/api/settings', { budgets: { turnUsd: null } });
  });
});
