import { PING, PONG, type SessionId } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_TOKEN, openControlPlane } from './harness.ts';
import { newRequestId, until } from './harness/api.ts';

const SESSIONS = 40;
/** The alarm after a command fires 10 s later; workerd evicts an object 10 s after its last request. */
const PING_SECONDS = 26;
/** Longer than the delay of any safety alarm. */
const SAFETY_SECONDS = 12;

interface Listener {
  sessionId: SessionId;
  socket: WebSocket;
  texts: string[];
}

/** workerd evicts idle objects from memory; their sockets stay open. */
describe('hibernated sessions', { timeout: 240_000 }, () => {
  let plane: Awaited<ReturnType<typeof openControlPlane>>;
  let listeners: Listener[] = [];

  beforeAll(async () => {
    plane = await openControlPlane();
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
        (isReceived) => isReceived,
      );
    }
  }

  /** How often a session's object was loaded from its database: it logs each load. */
  const wakes = (sessionId: SessionId) =>
    plane.plane.output.split(`"session.awake"`).filter((line) => line.includes(sessionId)).length;

  /** Sends pings and nothing else. */
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

  it('[HB3] neither pings nor its own alarms wake an idle session: its database file stays closed', async () => {
    await ping(PING_SECONDS);
    await until(
      () => plane.plane.openSessionFiles(),
      (count) => count === 0,
    );
    const resting = listeners.map(({ sessionId }) => wakes(sessionId));
    await ping(SAFETY_SECONDS);
    expect(plane.plane.openSessionFiles()).toBe(0);
    expect(listeners.map(({ sessionId }) => wakes(sessionId))).toEqual(resting);
  });

  it('[HB2] sockets are not compressed, though clients offer it', () => {
    expect(new Set(listeners.map(({ socket }) => socket.extensions))).toEqual(new Set(['']));
  });

  it('[HB1] sockets work after hibernation, the state is the same, and memory does not grow', async () => {
    const before = await states();
    const beforeMb = plane.plane.memoryMb();
    await renameAll('awake again');
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
