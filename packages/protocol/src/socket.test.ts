import { describe, expect, it } from 'vitest';
import { createId } from './ids.ts';
import { CLOSE_CODES, ClientMessage, PING, PONG, ServerMessage } from './socket.ts';

describe('socket messages', () => {
  it('round-trips each message of the server', () => {
    const event = { seq: 3, at: 5, type: 'session.renamed', version: 1, data: { title: 'x' } };
    const messages: ServerMessage[] = [
      { type: 'hello', protocolVersion: 1, sessionId: createId('ses'), newestSeq: 3 },
      { type: 'page', events: [event], upTo: 3, newestSeq: 3 },
      { type: 'presence', watchers: ['ada'] },
    ];
    for (const message of messages)
      expect(ServerMessage.parse(JSON.parse(JSON.stringify(message)))).toEqual(message);
  });

  it.each([
    {},
    { type: 'replay' },
    { type: 'replay', after: -1 },
    { type: 'replay', after: 1.5 },
    null,
    'ping',
  ])('[RT1] refuses %j from a client', (message) =>
    expect(ClientMessage.safeParse(message).success).toBe(false),
  );

  it('[RT2] close codes are in the range that applications may use, each once', () => {
    const codes = Object.values(CLOSE_CODES);
    expect(codes.every((code) => code >= 4000 && code <= 4999)).toBe(true);
    expect(new Set(codes).size).toBe(codes.length);
  });

  it('ping and pong are not JSON messages, so that the platform can answer without waking the Durable Object', () => {
    expect(() => JSON.parse(PING) as unknown).toThrow();
    expect(PONG).not.toBe(PING);
  });
});
