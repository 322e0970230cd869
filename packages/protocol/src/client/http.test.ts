import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { shipError } from '../errors.ts';
import { createId } from '../ids.ts';
import { HttpClient } from './http.ts';
import { ShipClient } from './ship-client.ts';
import { ManualClock } from './testing/manual-clock.ts';

type Answer = Response | Error;
const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers });

/** A server that returns these responses in turn, with a fake clock. */
function world(answers: (Answer | 'hang')[], token: string | undefined = 'the-token') {
  const clock = new ManualClock();
  const sent: { url: string; init: RequestInit; body: Record<string, unknown> | undefined }[] = [];
  const waits: number[] = [];
  const options = {
    baseUrl: 'http://ship.test/',
    token,
    random: () => 1,
    clock: {
      now: () => clock.now(),
      after: (delayMs: number, callback: () => void) => {
        waits.push(delayMs);
        queueMicrotask(callback);
        return () => undefined;
      },
    },
    fetch: async (url: string | URL | Request, init: RequestInit = {}) => {
      const body = typeof init.body === 'string' ? (JSON.parse(init.body) as never) : undefined;
      sent.push({ url: url as string, init, body });
      const answer = answers.shift() ?? new Error('no more answers');
      if (answer === 'hang')
        return new Promise<Response>((_, reject) =>
          init.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error)),
        );
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  return { http: new HttpClient(options), client: new ShipClient(options), sent, waits };
}

const get = { method: 'GET', path: '/x', answer: z.object({ a: z.number() }) } as const;
const sessionId = createId('ses');

describe('calling the API', () => {
  it('[CC1] sends the token, parses the answer', async () => {
    const { http, sent } = world([json({ a: 1, more: 2 })]);
    expect(await http.call({ ...get, query: { q: 'ä b', no: undefined } })).toEqual({ a: 1 });
    expect(sent[0]?.url).toBe('http://ship.test/api/x?q=%C3%A4+b');
    expect(sent[0]?.init.headers).toMatchObject({ authorization: 'Bearer the-token' });
    const page = world([json({ a: 1 })], undefined);
    page.http.options.token = undefined;
    await page.http.call(get);
    expect(page.sent[0]?.init.headers).not.toHaveProperty('authorization');
  });

  it('[CC2] retries lost and briefly refused requests with backoff, up to a limit', async () => {
    const busy = () => json({ error: shipError('unavailable', 'm', 'r') }, 503);
    const recovered = world([new Error('reset'), busy(), json({}, 502), json({ a: 5 })]);
    expect(await recovered.http.call(get)).toEqual({ a: 5 });
    expect(recovered.waits).toEqual([250, 500, 1000]);
    const never = world([busy(), busy(), busy(), busy(), json({ a: 5 })]);
    await expect(never.http.call(get)).rejects.toMatchObject({ error: { code: 'unavailable' } });
    expect(never.sent).toHaveLength(4);
    const gone = world([]);
    await expect(gone.http.call(get)).rejects.toMatchObject({
      error: { code: 'unreachable', message: expect.stringContaining('http://ship.test/') },
    });
  });

  it('[CC2] waits as long as the server asks, within reason', async () => {
    const { http, waits } = world([json({}, 429, { 'retry-after': '3' }), json({ a: 1 })]);
    await http.call(get);
    expect(waits).toEqual([3_000]);
    const long = world([json({}, 429, { 'retry-after': '3600' }), json({ a: 1 })]);
    await expect(long.http.call(get)).rejects.toMatchObject({ error: { code: 'not-understood' } });
    expect(long.waits).toEqual([]);
  });

  it('[CC3] a command has one request id over all its attempts, so that it happens once', async () => {
    const { client, sent } = world([new Error('reset'), json({ sessionId, seq: 4 })]);
    expect(await client.stop(sessionId)).toEqual({ sessionId, seq: 4 });
    expect(sent).toHaveLength(2);
    expect(sent[0]?.body?.requestId).toMatch(/^[\x21-\x7e]{8,128}$/);
    expect(sent[1]?.body).toEqual(sent[0]?.body);
    const again = world([json({ sessionId, seq: 4 })]);
    await again.client.createSession(
      { repository: '/r', prompt: 'do it' },
      { requestId: 'chosen-before' },
    );
    expect(again.sent[0]?.body).toMatchObject({ requestId: 'chosen-before', prompt: 'do it' });
  });

  it('[CC3] a request without a request id that is not idempotent is sent once', async () => {
    const { http, sent } = world([new Error('reset'), json({ a: 1 })]);
    await expect(http.call({ ...get, method: 'POST' })).rejects.toMatchObject({
      error: { code: 'unreachable' },
    });
    expect(sent).toHaveLength(1);
  });

  it('[CC4] failures are the server’s errors, or say that the response was not understood', async () => {
    const refused = world([json({ error: shipError('session-busy', 'It works.', 'Wait.') }, 409)]);
    await expect(refused.client.setModel(sessionId, 'demo/x')).rejects.toMatchObject({
      error: { code: 'session-busy', remedy: 'Wait.' },
    });
    for (const answer of [new Response('<html>', { status: 404 }), json({ a: 'text' })]) {
      await expect(world([answer]).http.call(get)).rejects.toMatchObject({
        error: { code: 'not-understood' },
      });
    }
  });

  it('[CC4] an aborted call ends immediately', async () => {
    const stop = new AbortController();
    const { http, sent } = world(['hang', json({ a: 1 })]);
    const calling = http.call({ ...get, signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(calling).rejects.toThrow('enough');
    expect(sent).toHaveLength(1);
  });
});
