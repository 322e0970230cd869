import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { DurableEnvelope } from '../events/envelope.ts';
import { createId } from '../ids.ts';
import { HttpClient } from './http.ts';
import { SessionWatch } from './session-watch.ts';
import { SseParser } from './sse-parser.ts';
import type { WatchStatus } from './watch-status.ts';

const sessionId = createId('ses');
const event = (seq: number): DurableEnvelope => ({
  seq,
  at: 1,
  type: 'session.renamed',
  version: 1,
  data: { title: `t${seq}` },
});
const hello = (newestSeq: number) =>
  `event: hello\ndata: ${JSON.stringify({ type: 'hello', protocolVersion: 1, sessionId, newestSeq })}\n\n`;
const page = (from: number, to: number, newestSeq: number) => {
  const events = Array.from({ length: to - from + 1 }, (_, i) => event(from + i));
  const data = JSON.stringify({ type: 'page', events, upTo: to, newestSeq });
  return `id: ${to}\nevent: page\ndata: ${data}\n\n`;
};

/** Each connection gets the next script: text chunks, or a status. */
function watchOver(scripts: (string[] | number)[], socketFails = false) {
  const urls: string[] = [];
  const got: number[] = [];
  const statuses: WatchStatus[] = [];
  let sockets = 0;
  const watch = new SessionWatch({
    http: new HttpClient({
      baseUrl: 'http://ship.test',
      token: 't',
      fetch: async (url) => {
        urls.push(url as string);
        const script = scripts.shift();
        if (script === undefined) return new Promise(() => undefined);
        if (typeof script === 'number') return new Response('', { status: script });
        return new Response(
          new ReadableStream({
            pull(controller) {
              const text = script.shift();
              if (text === undefined) controller.close();
              else controller.enqueue(new TextEncoder().encode(text));
            },
          }),
        );
      },
    }),
    sessionId,
    random: () => 0,
    onEvents: (events) => void got.push(...events.map(({ seq }) => seq)),
    onStatus: (status) => void statuses.push(status),
    openSocket: socketFails
      ? () => {
          sockets += 1;
          return {
            send: () => undefined,
            close: () => undefined,
            addEventListener: (type, listener) =>
              type === 'error' ? setTimeout(() => listener({}), 0) : undefined,
          };
        }
      : null,
  });
  return { watch, urls, got, statuses, sockets: () => sockets };
}

async function until(condition: () => boolean): Promise<void> {
  await vi.waitFor(() => expect(condition()).toBe(true), { timeout: 20_000, interval: 2 });
}

describe('watching over server-sent events', () => {
  it('[CW8] reads pages, continues at its position when the stream ends, and fills a gap the same way', async () => {
    const { watch, urls, got } = watchOver([
      [hello(9), ': still here\n\n', page(1, 4, 9), page(5, 9, 9)],
      [hello(10), page(10, 10, 10), page(12, 12, 12)],
      [hello(12), page(11, 12, 12)],
    ]);
    watch.start();
    await until(() => got.length === 12);
    expect(got).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    // The third stream ends too, so a fourth may have been opened by now.
    const asked = urls.map((url) => new URL(url).searchParams.get('after'));
    expect(asked.slice(0, 3)).toEqual(['0', '9', '10']);
    watch.close();
  });

  it('[CW8] is the fallback when sockets fail, and reports why it fails', async () => {
    const { watch, got, statuses, sockets } = watchOver([[hello(1), page(1, 1, 1)], 401], true);
    watch.start();
    await until(() => statuses.at(-1)?.status === 'ended');
    expect(got).toEqual([1]);
    expect(sockets()).toBeGreaterThanOrEqual(2);
    expect(statuses.at(-1)).toEqual({ status: 'ended', reason: 'sign-in' });
    watch.close();
  });

  it.each([
    [401, 'sign-in'],
    [404, 'session-gone'],
    [426, 'upgrade-client'],
  ])('[CW5] status %d is final', async (status, reason) => {
    const { watch, statuses } = watchOver([status]);
    watch.start();
    await until(() => statuses.at(-1)?.status === 'ended');
    expect(statuses.at(-1)).toEqual({ status: 'ended', reason });
  });
});

describe('server-sent events in chunks', () => {
  const text =
    'event: a\ndata: 1\ndata: 2\n\n: note\n\ndata:x\r\n\r\nid: 7\nevent: b\ndata\n\ndata: late';
  const whole = [
    { type: 'a', data: '1\n2' },
    { type: 'message', data: 'x' },
    { type: 'b', data: '' },
  ];

  it('are the same for any chunk boundaries', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: text.length })), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), text.length];
        const parser = new SseParser();
        const found = places.slice(1).flatMap((to, i) => parser.push(text.slice(places[i], to)));
        expect(found).toEqual(whole);
      }),
    );
  });

  it('one line cannot grow forever', () => {
    const parser = new SseParser();
    expect(() => {
      for (let i = 0; i < 5; i++) parser.push('x'.repeat(4_000_000));
    }).toThrow('too long');
  });
});
