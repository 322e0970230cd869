import {
  type DurableEnvelope,
  type SessionCommand,
  type SessionEvent,
  type SessionState,
  type TurnId,
  createId,
  shipError,
} from '@ship/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_RETRY_POLICY } from '../retry/policy.ts';
import { decide } from './decide.ts';
import { sessionEvent } from './event.ts';
import { evolve, evolveAll } from './evolve.ts';
import { hasWork } from './plan.ts';
import { MAX_QUEUED_PROMPTS } from './state.ts';

const rules = { retry: DEFAULT_RETRY_POLICY };
const prompt = (text: string) => ({ promptId: createId('prm'), text, author: 'ada' });
const transient = shipError('unavailable', 'The model did not answer.', 'Wait.');

const asked = (turnId: TurnId) => ({
  turnId,
  promptId: null,
  messageId: 'msg_1',
  mode: 'build' as const,
  titledBy: 'person' as const,
  cardId: null,
  kind: 'prompt' as const,
  maxSteps: 25,
});
const step = {
  subagentId: null,
  partId: 'prt_1',
  reason: 'tool-calls',
  tokens: { input: 1, output: 1, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
  costUsd: 0.01,
};

/** An in-memory session: it decides and folds, as the Durable Object does with its log. */
class Session {
  log: DurableEnvelope[] = [];
  state: SessionState | undefined;
  now = 1_000;

  run(command: SessionCommand) {
    const decision = decide(this.state, command, this.now, rules);
    if (decision.kind === 'rejected') return decision.error.code;
    for (const event of decision.events) this.tell(event);
    return decision.events.map((event) => event.type);
  }

  /** Events without a decision. */
  tell(event: SessionEvent) {
    const envelope = { ...event, seq: this.log.length + 1, at: this.now };
    this.log.push(envelope);
    this.state = evolve(this.state, envelope);
  }

  get status() {
    return this.state?.activity.status;
  }

  start() {
    const turnId = createId('turn');
    this.run({ type: 'turn.start', turnId });
    return turnId;
  }
}

describe('session rules', () => {
  let session: Session;
  beforeEach(() => {
    session = new Session();
    session.run({
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
      prompt: prompt('first'),
    });
  });

  it('[SE1] one turn at a time, in the order of the prompts', () => {
    session.run({ type: 'prompt.enqueue', prompt: prompt('second') });
    const first = session.start();
    expect(session.state?.current?.text).toBe('first');
    expect(session.run({ type: 'turn.start', turnId: createId('turn') })).toEqual([]);
    session.run({ type: 'turn.finish', turnId: first, outcome: { kind: 'completed' } });
    session.start();
    expect(session.state?.current?.text).toBe('second');
    expect(session.state?.queue).toEqual([]);
  });

  it('[SE2] the model cannot change while the agent works', () => {
    const turnId = session.start();
    expect(session.run({ type: 'model.change', model: 'demo/other' })).toBe('session-busy');
    session.run({ type: 'turn.finish', turnId, outcome: { kind: 'completed' } });
    expect(session.run({ type: 'model.change', model: 'demo/other' })).toEqual(['model.changed']);
  });

  it('[WM10] a raised budget continues the turn that waits for it; any other change starts nothing', () => {
    const change = (budgetUsd: number | null) => {
      const turnId = createId('turn');
      return session.run({ type: 'budget.change', budgetUsd, turnId, by: 'ada' });
    };
    expect(change(2)).toEqual(['budget.changed']);
    const pause = { kind: 'paused', message: 'm', remedy: 'r', notBefore: null } as const;
    const turnId = session.start();
    session.run({ type: 'turn.finish', turnId, outcome: { ...pause, reason: 'budget' } });
    expect(change(2)).toEqual([]);
    expect(change(1)).toEqual(['budget.changed']);
    expect(session.status).toBe('paused');
    expect(change(3)).toEqual(['budget.changed', 'turn.started']);
    expect(session.state).toMatchObject({
      budgetUsd: 3,
      current: { text: 'first' },
      activity: { status: 'working', turn: { continues: true } },
    });
    const other = session.state?.activity;
    if (other?.status !== 'working') throw new Error('not working');
    const outcome = { ...pause, reason: 'step-limit' } as const;
    session.run({ type: 'turn.finish', turnId: other.turn.turnId, outcome });
    expect(change(null)).toEqual(['budget.changed']);
    expect(session.status).toBe('paused');
  });

  it('[SE3] a transient failure is retried when it is due, not before, and then ends as failed', () => {
    const turnId = session.start();
    for (let attempt = 1; attempt < rules.retry.maxAttempts; attempt++) {
      expect(session.run({ type: 'turn.fail', turnId, error: transient, jitter: 1 })).toEqual([
        'turn.retry-scheduled',
      ]);
      expect(session.run({ type: 'turn.start', turnId: createId('turn') })).toEqual([]);
      session.now += rules.retry.maxDelayMs;
      expect(session.run({ type: 'turn.start', turnId: createId('turn') })).toEqual([
        'turn.started',
      ]);
    }
    session.run({ type: 'turn.fail', turnId, error: transient, jitter: 1 });
    expect(session.state?.activity).toMatchObject({
      status: 'failed',
      turn: { turnId, attempt: 5 },
    });
  });

  const failingTurn = () => {
    const turnId = session.start();
    return (attempt: number, hasProgressed: boolean) => {
      session.tell(sessionEvent('agent.prompted', { ...asked(turnId), attempt }));
      if (hasProgressed) session.tell(sessionEvent('step.finished', { ...step, turnId }));
      session.run({ type: 'turn.fail', turnId, error: transient, jitter: 1 });
      session.now += rules.retry.maxDelayMs;
      session.run({ type: 'turn.start', turnId: createId('turn') });
      return session.status;
    };
  };

  it('[SE3] progress resets the count of consecutive attempts', () => {
    const failAgain = failingTurn();
    for (let attempt = 1; attempt <= 6; attempt++)
      expect(failAgain(attempt, attempt === 3)).toBe('working');
    expect(failAgain(7, false)).toBe('failed');
    expect(session.state?.activity).toMatchObject({ error: transient });
  });

  it('[SE19] no prompt gets more than 8 attempts, even with progress, until a person retries', () => {
    const failAgain = failingTurn();
    for (let attempt = 1; attempt < rules.retry.maxTotalAttempts; attempt++)
      expect(failAgain(attempt, true)).toBe('working');
    expect(failAgain(rules.retry.maxTotalAttempts, true)).toBe('failed');
    expect(session.state?.activity).toMatchObject({
      error: { code: 'attempts-exhausted', message: expect.stringContaining(transient.message) },
    });
    session.run({ type: 'turn.retry', turnId: createId('turn'), by: 'ada' });
    expect(session.state?.activity).toMatchObject({ status: 'working', turn: { attempt: 1 } });
  });

  it('[SE4] a failed turn can be retried by a person, with the same prompt', () => {
    const turnId = session.start();
    session.run({
      type: 'turn.fail',
      turnId,
      error: shipError('internal', 'Broken.', 'Report it.'),
      jitter: 0,
    });
    expect(session.status).toBe('failed');
    session.run({ type: 'turn.retry', turnId: createId('turn'), by: 'ada' });
    expect(session.status).toBe('working');
    expect(session.state?.current?.text).toBe('first');
    expect(session.run({ type: 'turn.retry', turnId: createId('turn'), by: 'ada' })).toBe(
      'nothing-to-retry',
    );
  });

  it('[SE5] stop wins over a later failure', () => {
    const turnId = session.start();
    session.run({ type: 'turn.stop', by: 'ada', clearQueue: false });
    expect(session.status).toBe('stopping');
    session.run({ type: 'turn.fail', turnId, error: transient, jitter: 1 });
    expect(session.status).toBe('idle');
    expect(session.log.at(-1)?.data).toMatchObject({ outcome: { kind: 'stopped', by: 'ada' } });
  });

  it('[SE5] stop immediately ends a turn that waits for its retry', () => {
    const turnId = session.start();
    session.run({ type: 'turn.fail', turnId, error: transient, jitter: 1 });
    expect(session.run({ type: 'turn.stop', by: 'ada', clearQueue: false })).toEqual([
      'turn.finished',
    ]);
    expect(session.run({ type: 'turn.stop', by: 'ada', clearQueue: false })).toBe(
      'no-turn-running',
    );
  });

  it('[SE6] queued prompts stay queued when a turn is stopped, and can be withdrawn', () => {
    const waiting = prompt('second');
    session.run({ type: 'prompt.enqueue', prompt: waiting });
    const turnId = session.start();
    session.run({ type: 'turn.stop', by: 'ada', clearQueue: false });
    session.run({ type: 'turn.finish', turnId, outcome: { kind: 'stopped', by: 'ada' } });
    expect(session.state?.queue).toEqual([waiting]);
    expect(session.status).toBe('held');
    // It does not start automatically, and no sandbox is kept for it.
    expect(session.run({ type: 'turn.start', turnId: createId('turn') })).toEqual([]);
    expect(session.state && hasWork(session.state)).toBe(false);
    expect(session.run({ type: 'prompt.withdraw', promptId: waiting.promptId })).toEqual([
      'prompt.withdrawn',
    ]);
    expect(session.status).toBe('idle');
    expect(session.run({ type: 'prompt.withdraw', promptId: waiting.promptId })).toBe(
      'prompt-not-queued',
    );
  });

  it.each(['a retry', 'another prompt'])(
    '[SE6] prompts that a stop holds back continue in order after %s',
    (word) => {
      const waiting = prompt('second');
      session.run({ type: 'prompt.enqueue', prompt: waiting });
      const turnId = session.start();
      session.run({ type: 'turn.stop', by: 'ada', clearQueue: false });
      session.run({ type: 'turn.finish', turnId, outcome: { kind: 'stopped', by: 'ada' } });
      const next = createId('turn');
      if (word === 'another prompt') {
        session.run({ type: 'prompt.enqueue', prompt: prompt('third') });
        session.run({ type: 'turn.start', turnId: next });
      } else session.run({ type: 'turn.retry', turnId: next, by: 'ada' });
      expect(session.state?.activity).toMatchObject({
        status: 'working',
        turn: { turnId: next, promptId: waiting.promptId, attempt: 1, continues: false },
      });
      expect(session.state?.current).toEqual(waiting);
    },
  );

  it('[SE6] stop can empty the queue, also before the agent has started', () => {
    session.run({ type: 'turn.stop', by: 'ada', clearQueue: true });
    expect(session.state?.queue).toEqual([]);
    session.run({ type: 'prompt.enqueue', prompt: prompt('a') });
    session.start();
    session.run({ type: 'prompt.enqueue', prompt: prompt('b') });
    session.run({ type: 'turn.stop', by: 'ada', clearQueue: true });
    expect([session.status, session.state?.queue]).toEqual(['stopping', []]);
  });

  it('[SE13] a waiting prompt can be edited and moved; one that has started cannot', () => {
    const [a, b, c] = [prompt('a'), prompt('b'), prompt('c')];
    for (const each of [a, b, c]) session.run({ type: 'prompt.enqueue', prompt: each });
    session.start();
    const order = () => session.state?.queue.map(({ text }) => text).join('');
    session.run({ type: 'prompt.move', promptId: c.promptId, after: null, text: null });
    expect(order()).toBe('cab');
    session.run({ type: 'prompt.move', promptId: c.promptId, after: a.promptId, text: null });
    session.run({ type: 'prompt.edit', promptId: b.promptId, text: 'B' });
    expect(order()).toBe('acB');
    const started = session.state?.current?.promptId ?? a.promptId;
    expect(session.run({ type: 'prompt.edit', promptId: started, text: 'x' })).toBe(
      'prompt-not-queued',
    );
    expect(
      session.run({ type: 'prompt.move', promptId: a.promptId, after: started, text: null }),
    ).toBe('prompt-not-queued');
  });

  it('[SE14] a new prompt after a failure continues; earlier queued prompts go first', () => {
    const turnId = session.start();
    session.run({ type: 'prompt.enqueue', prompt: prompt('waiting') });
    const error = shipError('internal', 'Broken.', 'Report it.');
    session.run({ type: 'turn.fail', turnId, error, jitter: 0 });
    expect(session.run({ type: 'turn.start', turnId: createId('turn') })).toEqual([]);
    session.run({ type: 'prompt.enqueue', prompt: prompt('new') });
    session.start();
    expect([session.status, session.state?.current?.text]).toEqual(['working', 'waiting']);
  });

  it('[SE7] closing ends the open turn and is final', () => {
    session.start();
    expect(session.run({ type: 'session.close', by: 'ada' })).toEqual([
      'turn.finished',
      'session.closed',
    ]);
    expect(session.run({ type: 'prompt.enqueue', prompt: prompt('late') })).toBe('session-closed');
    expect(session.run({ type: 'session.rename', title: 'Late' })).toBe('session-closed');
  });

  it('[SE8] the queue is bounded', () => {
    while (session.state && session.state.queue.length < MAX_QUEUED_PROMPTS) {
      session.run({ type: 'prompt.enqueue', prompt: prompt('more') });
    }
    expect(session.run({ type: 'prompt.enqueue', prompt: prompt('too many') })).toBe('queue-full');
  });

  it('[SE12] a prompt id is used once: a second one would be lost with the first', () => {
    const waiting = prompt('second');
    session.run({ type: 'prompt.enqueue', prompt: waiting });
    expect(session.run({ type: 'prompt.enqueue', prompt: { ...waiting, text: 'other' } })).toBe(
      'prompt-exists',
    );
  });

  it('a second creation is refused, and so are commands to a missing session', () => {
    expect(new Session().run({ type: 'turn.stop', by: 'ada', clearQueue: false })).toBe(
      'not-found',
    );
    const { sessionId, title, repository, model } = session.state as SessionState;
    const again = {
      type: 'session.create',
      sessionId,
      title,
      repository,
      model,
      base: null,
      branch: null,
      budgetUsd: null,
      source: 'api',
      mode: 'build',
      titledBy: 'person',
      cardId: null,
      prompt: prompt('x'),
    } as const;
    expect(session.run(again)).toBe('session-exists');
  });

  it('setting the current title or model changes nothing', () => {
    expect(session.run({ type: 'session.rename', title: 'Fix it' })).toEqual([]);
    expect(session.run({ type: 'session.rename', title: 'Another title' })).toEqual([
      'session.renamed',
    ]);
    expect(session.run({ type: 'model.change', model: 'demo/script' })).toEqual([]);
  });

  it('[EV2] an event of an unknown type only advances seq', () => {
    const before = session.state as SessionState;
    const unknown = { seq: before.seq + 1, at: 0, type: 'from.the-future', version: 9, data: {} };
    expect(evolveAll(before, [unknown])).toEqual({ ...before, seq: before.seq + 1 });
  });
});
