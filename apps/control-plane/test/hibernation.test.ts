import { PING, PONG, type SessionId } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_TOKEN, openPlaneAlone } from './plant.ts';
import { newRequestId, until } from './plant/api.ts';

const SESSIONS = 40;
/** workerd lets go of an object that was not asked for some 10 s; the alarm after a command is 10 s away, too. */
const PING_SECONDS = 26;

interface Listener {
  sessionId: SessionId;
  socket: WebSocket;
  texts: string[];
}

/** Objects that nobody asks anything are put out of memory by workerd; their sockets stay. */
describe('sleeping sessions', { timeout: 240_000 }, () => {
  let plane: Awaited<ReturnType<typeof openPlaneAlone>>;
  let listeners: Listener[] = [];

  beforeAll(async () => {
    plane = await openPlaneAlone();
    const created = await Promise.all(
      Array.from({ length: SESSIONS }, () => plane.api.create({ prompt: 'wait' })),
    );
    listeners = await Promise.all(created.map(({ sessionId }) => listen(sessionId)));
  }, 60_000);
  afterAll(async () => {
    for (const { socket } of listeners) socket.close();
    await plane.close();
  });

  async function listen(sessionId: SessionId): Promise<Listener> {
    const address = `${plane.plane.url}/api/sessions/${sessionId}/socket?after=0`;
    const headers = { authorization: `Bearer ${LOCAL_TOKEN}` };
    // Node's own WebSocket takes headers; the browser's type does not know them.
    const socket = new WebSocket(address.replace(/^http/, 'ws'), { headers } as never);
    const texts: string[] = [];
    socket.addEventListener('message', ({ data }) => texts.push(String(data)));
    await until(
      () => texts.length,
      (count) => count >= 2,
    );
    return { sessionId, socket, texts };
  }

  const states = () =>
    Promise.all(listeners.map(async ({ sessionId }) => (await plane.api.view(sessionId)).state));

  async function renameAll(title: string): Promise<void> {
    for (const { sessionId, texts } of listeners) {
      const body = { requestId: newRequestId(), title };
      await plane.api.ask('PATCH', `/sessions/${sessionId}`, body);
      await until(
        () => texts.some((text) => text.includes(title)),
        (isTold) => isTold,
      );
    }
  }

  /** How often a session's object was made anew from its disk: it says so each time. */
  const wakes = (sessionId: SessionId) =>
    plane.plane.output.split(`"session.awake"`).filter((line) => line.includes(sessionId)).length;

  /** Pings all the while, and nothing else. */
  async function ping(seconds: number): Promise<void> {
    for (const { texts } of listeners) texts.length = 0;
    for (let i = 0; i < seconds; i++) {
      for (const { socket } of listeners) socket.send(PING);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    for (const { texts } of listeners)
      await until(
        () => texts.filter((text) => text === PONG).length,
        (count) => count === seconds,
      );
  }

  /** If pings kept objects awake, or woke them, none would have to be woken by the first word after them. */
  async function sleepAndWake(title: string): Promise<void> {
    const before = listeners.map(({ sessionId }) => wakes(sessionId));
    await ping(PING_SECONDS);
    const resting = listeners.map(({ sessionId }) => wakes(sessionId));
    await renameAll(title);
    await until(
      () => listeners.filter(({ sessionId }, i) => wakes(sessionId) > (resting[i] ?? 0)).length,
      // Not all: the alarm that sees a command through wakes each once more, some of them only just now.
      (count) => count >= SESSIONS / 4,
    );
    for (const [index, count] of resting.entries())
      expect(count - (before[index] ?? 0)).toBeLessThanOrEqual(2);
  }

  it('[HB2] sockets are not compressed, though clients offer it', () => {
    expect(new Set(listeners.map(({ socket }) => socket.extensions))).toEqual(new Set(['']));
  });

  it('[HB1] sockets work after the sleep, the state is the same, pings wake nobody, and nothing piles up', async () => {
    const before = await states();
    const beforeMb = plane.plane.memoryMb();
    await sleepAndWake('awake again');
    const after = await states();
    for (const [index, { queue, sandbox, title }] of after.entries()) {
      expect({ queue, sandbox }).toEqual({
        queue: before[index]?.queue,
        sandbox: before[index]?.sandbox,
      });
      expect(title).toBe('awake again');
    }
    expect(plane.plane.memoryMb()).toBeLessThan(beforeMb + 50);
    for (const { socket } of listeners) expect(socket.readyState).toBe(WebSocket.OPEN);
  });
});
