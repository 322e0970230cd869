import { type SessionCommand, type SessionState, createId, shipError } from '@ship/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_RETRY_POLICY } from '../retry/policy.ts';
import { decide } from './decide.ts';
import { sessionEvent } from './event.ts';
import { evolve } from './evolve.ts';
import { withUnreachedPrompts } from './unreached-prompts.ts';

const setupFailed = shipError('setup-failed', 'npm ci ended with 1.', 'Correct it, then retry.');
const prompt = (text: string) => ({ promptId: createId('prm'), text, author: 'ada' });

describe('a task that never reached the agent', () => {
  let state: SessionState | undefined;
  let seq: number;

  function tell(event: ReturnType<typeof sessionEvent>) {
    seq += 1;
    state = evolve(state, { ...event, seq, at: 1_000 + seq });
  }
  function run(command: SessionCommand) {
    const decision = decide(state, command, 1_000, { retry: DEFAULT_RETRY_POLICY });
    if (decision.kind === 'rejected') throw new Error(decision.error.message);
    for (const event of decision.events) tell(event);
  }
  function turn(isPrompted: boolean, outcome: 'completed' | 'failed') {
    const turnId = createId('turn');
    run({ type: 'turn.start', turnId });
    const promptId = state?.current?.promptId ?? null;
    const told = { turnId, promptId, attempt: 1, messageId: 'm', mode: 'build', kind: 'prompt' };
    if (isPrompted) tell(sessionEvent('agent.prompted', { ...told, maxSteps: 5 } as never));
    if (outcome === 'failed') run({ type: 'turn.fail', turnId, error: setupFailed, jitter: 0 });
    else run({ type: 'turn.finish', turnId, outcome: { kind: 'completed' } });
  }
  const carried = () => state?.unreached.map(({ text }) => text);

  beforeEach(() => {
    state = undefined;
    seq = 0;
    run({
      type: 'session.create',
      sessionId: createId('ses'),
      title: 'Fix it',
      repository: '/code/app',
      model: 'demo/script',
      base: null,
      branch: null,
      budgetUsd: null,
      source: 'api',
      mode: 'build',
      titledBy: 'person',
      cardId: null,
      prompt: prompt('Fix the login'),
    });
  });

  it('[EY3] is included in the follow-up and its retries, and in nothing after them', () => {
    turn(false, 'failed');
    expect(carried()).toEqual([]);
    run({ type: 'prompt.enqueue', prompt: prompt('I corrected the setup, try again') });
    turn(false, 'failed');
    expect(carried()).toEqual(['Fix the login']);
    run({ type: 'turn.retry', turnId: createId('turn'), by: 'ada' });
    expect(carried()).toEqual(['Fix the login']);
    const turnId = state?.activity.status === 'working' ? state.activity.turn.turnId : undefined;
    if (turnId === undefined) throw new Error('the retry starts no turn');
    run({ type: 'turn.fail', turnId, error: setupFailed, jitter: 0 });
    run({ type: 'prompt.enqueue', prompt: prompt('And again') });
    turn(true, 'completed');
    expect(carried()).toEqual(['Fix the login', 'I corrected the setup, try again']);
    run({ type: 'prompt.enqueue', prompt: prompt('Now the logout') });
    turn(true, 'completed');
    expect(carried()).toEqual([]);
  });

  it('[EY3] is not included once the agent has it, however its turn ended', () => {
    turn(true, 'failed');
    run({ type: 'prompt.enqueue', prompt: prompt('Try again') });
    turn(true, 'completed');
    expect(carried()).toEqual([]);
  });

  it('[EY3] comes before the newest message', () => {
    const text = withUnreachedPrompts('Try again', [prompt('Fix the login')]);
    expect(text.indexOf('Fix the login')).toBeLessThan(text.indexOf('Try again'));
    expect(text).not.toBe('Try again');
    expect(withUnreachedPrompts('Try again', [])).toBe('Try again');
  });
});
