import { env, evictDurableObject } from 'cloudflare:test';
import {
  type CommandRequest,
  DurableEnvelope,
  RequestId,
  type SessionId,
  type UserCommand,
  createId,
} from '@ship/protocol';
import { describe, expect, it } from 'vitest';

let requests = 0;
function request(command: UserCommand): CommandRequest {
  requests += 1;
  return { requestId: RequestId.parse(`request-${requests}`), command };
}

const prompt = (text: string) => ({ promptId: createId('prm'), text, author: 'ada' });

function create(sessionId: SessionId): CommandRequest {
  const command = {
    title: 'Fix it',
    repository: '/code/app',
    model: 'demo/script',
    prompt: prompt('go'),
  };
  return request({ type: 'session.create', sessionId, ...command });
}

function session() {
  const sessionId = createId('ses');
  return { sessionId, stub: env.SESSIONS.get(env.SESSIONS.idFromName(sessionId)) };
}

async function eventsOf(stub: { eventsText(after: number): Promise<string> }, after: number) {
  return DurableEnvelope.array().parse(JSON.parse(await stub.eventsText(after)));
}

describe('SessionAgent in workerd', () => {
  it('[SA1] a command is acknowledged with the place of its last event in the log', async () => {
    const { sessionId, stub } = session();
    expect(await stub.execute(create(sessionId))).toMatchObject({
      kind: 'accepted',
      receipt: { seq: 2 },
    });
    const events = await eventsOf(stub, 0);
    expect(events.map(({ seq, type }) => [seq, type])).toEqual([
      [1, 'session.created'],
      [2, 'prompt.queued'],
    ]);
  });

  it('[SA2] the same request again gets the same answer and changes nothing', async () => {
    const { sessionId, stub } = session();
    const first = create(sessionId);
    expect(await stub.execute(first)).toEqual(await stub.execute(first));
    expect(await eventsOf(stub, 0)).toHaveLength(2);
  });

  it('[SA2] the same request id with another content is a conflict', async () => {
    const { sessionId, stub } = session();
    const first = create(sessionId);
    await stub.execute(first);
    const other = { ...first, command: { type: 'session.rename', title: 'Other' } } as const;
    expect(await stub.execute(other)).toMatchObject({
      kind: 'rejected',
      error: { code: 'request-id-reused' },
    });
  });

  it('[SA3] a refused command leaves no trace, and may be repeated when it has become possible', async () => {
    const { sessionId, stub } = session();
    const early = request({ type: 'session.rename', title: 'Early' });
    expect(await stub.execute(early)).toMatchObject({
      kind: 'rejected',
      error: { code: 'not-found' },
    });
    await stub.execute(create(sessionId));
    expect(await stub.execute(early)).toMatchObject({ kind: 'accepted' });
  });

  it('[SA4] nothing lives only in memory: an evicted object comes back with the same state', async () => {
    const { sessionId, stub } = session();
    await stub.execute(create(sessionId));
    for (let i = 0; i < 30; i++)
      await stub.execute(request({ type: 'prompt.enqueue', prompt: prompt(`p${i}`) }));
    const before = await stub.state();
    await evictDurableObject(stub);
    expect(await stub.state()).toEqual(before);
    expect(before?.queue).toHaveLength(31);
  });

  it('[SA5] reads the log in pages', async () => {
    const { sessionId, stub } = session();
    await stub.execute(create(sessionId));
    for (let i = 0; i < 600; i++)
      await stub.execute(request({ type: 'session.rename', title: `t${i}` }));
    const first = await eventsOf(stub, 0);
    expect(first).toHaveLength(500);
    const second = await eventsOf(stub, 500);
    expect(second.map(({ seq }) => seq)).toEqual(Array.from({ length: 102 }, (_, i) => 501 + i));
    await evictDurableObject(stub);
    expect((await stub.state())?.title).toBe('t599');
  });
});
