import { env, evictDurableObject } from 'cloudflare:test';
import {
  type CommandRequest,
  HistoryPage,
  RequestId,
  type SessionId,
  type UserCommand,
  createId,
} from '@ship/protocol';
import { describe, expect, it, vi } from 'vitest';
import { unwrap } from '../platform/result.ts';

let requests = 0;
function request(command: UserCommand): CommandRequest {
  requests += 1;
  return {
    requestId: RequestId.parse(`request-${requests}`),
    fingerprint: JSON.stringify(command).slice(0, 200),
    command,
  };
}

const prompt = (text: string) => ({ promptId: createId('prm'), text, author: 'ada' });

function create(sessionId: SessionId): CommandRequest {
  const command = {
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
    prompt: prompt('go'),
  } as const;
  return request({ type: 'session.create', sessionId, ...command });
}

function session() {
  const sessionId = createId('ses');
  return { sessionId, stub: env.SESSIONS.get(env.SESSIONS.idFromName(sessionId)) };
}

type Stub = ReturnType<typeof session>['stub'];

async function eventsOf(stub: Stub, after: number) {
  const text = unwrap(await stub.history({ after, limit: 500 }));
  return HistoryPage.parse(JSON.parse(text)).events;
}

const execute = async (stub: Stub, command: CommandRequest): Promise<unknown> =>
  JSON.parse(await stub.execute(command));

const stateOf = async (stub: Stub) => unwrap(await stub.view()).state;

describe('SessionAgent in workerd', () => {
  it('[SA1] a command is acknowledged with the seq of its last event', async () => {
    const { sessionId, stub } = session();
    expect(await execute(stub, create(sessionId))).toMatchObject({
      kind: 'accepted',
      receipt: { seq: 3 },
    });
    const events = await eventsOf(stub, 0);
    expect(events.slice(0, 3).map(({ seq, type }) => [seq, type])).toEqual([
      [1, 'session.created'],
      [2, 'prompt.queued'],
      [3, 'sandbox.requested'],
    ]);
  });

  it('[SA2] the same request again gets the same answer and changes nothing', async () => {
    const { sessionId, stub } = session();
    const first = create(sessionId);
    expect(await execute(stub, first)).toEqual(await execute(stub, first));
    const types = (await eventsOf(stub, 0)).map(({ type }) => type);
    expect(types.filter((type) => type === 'prompt.queued')).toHaveLength(1);
  });

  it('[SA2] a repetition that would now do something else does nothing, in memory and on disk', async () => {
    const { sessionId, stub } = session();
    await execute(stub, create(sessionId));
    await vi.waitFor(async () => expect((await stateOf(stub)).sandbox.status).toBe('failed'), {
      timeout: 20_000,
    });
    const first = request({ type: 'session.rename', title: 'First' });
    const answer = await execute(stub, first);
    // Past the next snapshot, which must not contain what was rolled back.
    for (let i = 0; i < 198; i++)
      await execute(stub, request({ type: 'session.rename', title: `t${i}` }));
    const before = await stateOf(stub);
    for (let i = 0; i < 5; i++) expect(await execute(stub, first)).toEqual(answer);
    expect(await stateOf(stub)).toEqual(before);
    expect(await execute(stub, request({ type: 'session.rename', title: 'Last' }))).toMatchObject({
      receipt: { seq: before.seq + 1 },
    });
    const after = await stateOf(stub);
    await evictDurableObject(stub);
    expect(await stateOf(stub)).toEqual(after);
  }, 60_000);

  it('[SA2] a repetition that would now be refused gets its earlier answer', async () => {
    const { sessionId, stub } = session();
    await execute(stub, create(sessionId));
    const waiting = prompt('never mind');
    await execute(stub, request({ type: 'prompt.enqueue', prompt: waiting }));
    const withdrawal = request({ type: 'prompt.withdraw', promptId: waiting.promptId });
    const answer = await execute(stub, withdrawal);
    expect(answer).toMatchObject({ kind: 'accepted' });
    expect(await execute(stub, withdrawal)).toEqual(answer);
    const again = request({ type: 'prompt.withdraw', promptId: waiting.promptId });
    expect(await execute(stub, again)).toMatchObject({ kind: 'rejected' });
  });

  it('[SA2] the same request id with different content is a conflict', async () => {
    const { sessionId, stub } = session();
    const first = create(sessionId);
    await execute(stub, first);
    const command = { type: 'session.rename', title: 'Other' } as const;
    const other = { ...first, fingerprint: 'other', command };
    expect(await execute(stub, other)).toMatchObject({
      kind: 'rejected',
      error: { code: 'request-id-reused' },
    });
  });

  it('[SA3] a refused command leaves no trace, and may be repeated once it is possible', async () => {
    const { sessionId, stub } = session();
    const early = request({ type: 'session.rename', title: 'Early' });
    expect(await execute(stub, early)).toMatchObject({
      kind: 'rejected',
      error: { code: 'not-found' },
    });
    await execute(stub, create(sessionId));
    expect(await execute(stub, early)).toMatchObject({ kind: 'accepted' });
  });

  it('[SA4] nothing lives only in memory: an evicted object comes back with the same state', async () => {
    const { sessionId, stub } = session();
    await execute(stub, create(sessionId));
    for (let i = 0; i < 30; i++)
      await execute(stub, request({ type: 'prompt.enqueue', prompt: prompt(`p${i}`) }));
    // Nothing is configured around it: it settles once it has found that out.
    await vi.waitFor(async () => expect((await stateOf(stub)).sandbox.status).toBe('failed'), {
      timeout: 20_000,
    });
    const before = await stateOf(stub);
    await evictDurableObject(stub);
    expect(await stateOf(stub)).toEqual(before);
    expect(before.queue).toHaveLength(31);
  });

  it('[SA5] reads the log in pages', async () => {
    const { sessionId, stub } = session();
    await execute(stub, create(sessionId));
    for (let i = 0; i < 510; i++)
      await execute(stub, request({ type: 'session.rename', title: `t${i}` }));
    const first = await eventsOf(stub, 0);
    expect(first).toHaveLength(500);
    expect(first.map(({ seq }) => seq)).toEqual(Array.from({ length: 500 }, (_, i) => i + 1));
    const second = await eventsOf(stub, 500);
    expect(second[0]?.seq).toBe(501);
    const newest = HistoryPage.parse(JSON.parse(unwrap(await stub.history({ limit: 3 }))));
    expect(newest.events.map(({ seq }) => newest.newestSeq - seq)).toEqual([2, 1, 0]);
    await evictDurableObject(stub);
    expect((await stateOf(stub)).title).toBe('t509');
  });
});
