import { ShipFailure } from '@ship/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MAX_HELD_BYTES, guardSupervisor, readText, sandboxFetch } from './client.ts';

const ADDRESS = { url: 'http://127.0.0.1:4001', headers: {} };

/** A sandbox's answer, which records its requests. */
function answering(answer: (request: Request) => Response | Promise<Response>) {
  const asked: Request[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    asked.push(request);
    return answer(request);
  });
  return asked;
}

/** Endless chunks of one megabyte; records whether it was cancelled. */
function endless(piece = 'x') {
  const chunk = new TextEncoder().encode(piece.repeat((1024 * 1024) / piece.length));
  const source = { isGivenUp: false, sentBytes: 0 };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      source.sentBytes += chunk.length;
      controller.enqueue(chunk);
    },
    cancel: () => void (source.isGivenUp = true),
  });
  return { body, source };
}

afterEach(() => vi.unstubAllGlobals());

describe('the client for sandboxes', () => {
  it('[OUT1] a redirect is an error, and is not followed', async () => {
    const asked = answering(() => new Response('', { status: 307, headers: { location: '/b' } }));
    const ask = sandboxFetch(ADDRESS, { timeoutMs: 1_000 });
    await expect(ask('http://127.0.0.1:4001/a')).rejects.toMatchObject({ status: 502 });
    expect(asked.map(({ url, redirect }) => [url, redirect])).toEqual([
      ['http://127.0.0.1:4001/a', 'manual'],
    ]);
  });

  it('[OUT2] nothing is sent to another host', async () => {
    const asked = answering(() => new Response(''));
    const ask = sandboxFetch(ADDRESS, {});
    for (const url of ['http://127.0.0.1:4002/', 'https://127.0.0.1:4001/', 'http://evil.test/'])
      await expect(ask(url)).rejects.toMatchObject({ status: 502 });
    expect(asked).toEqual([]);
  });

  it('[OUT4] a request without an answer times out', async () => {
    answering(
      ({ signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        ),
    );
    const ask = sandboxFetch(ADDRESS, { timeoutMs: 20 });
    await expect(ask('http://127.0.0.1:4001/')).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('[OUT4] an endless answer is cancelled at the limit', async () => {
    const { body, source } = endless();
    answering(() => new Response(body));
    const answer = await sandboxFetch(ADDRESS, {})('http://127.0.0.1:4001/');
    await expect(answer.text()).rejects.toMatchObject({ error: { code: 'limit-reached' } });
    expect(source.isGivenUp).toBe(true);
    expect(source.sentBytes).toBeLessThan(MAX_HELD_BYTES * 1.2);
  });

  it('[OUT6] an answer of a million empty lists is cancelled, although it is short', async () => {
    const text = `[${'[],'.repeat(1_000_000)}0]`;
    answering(() => new Response(text, { headers: { 'content-length': String(text.length) } }));
    const answer = await sandboxFetch(ADDRESS, {})('http://127.0.0.1:4001/');
    await expect(answer.json()).rejects.toMatchObject({ error: { code: 'limit-reached' } });
    const long = JSON.stringify(['[],'.repeat(1_000_000)]);
    answering(() => new Response(long));
    expect(await (await sandboxFetch(ADDRESS, {})('http://127.0.0.1:4001/')).text()).toBe(long);
  });

  it('[RL7] [OUT4] a stream may go on forever, one event of it may not', async () => {
    const ask = sandboxFetch(ADDRESS, { isStream: true, maxBytes: 3 * 1024 * 1024 });
    answering(() => new Response(endless('data: x\n\n'.padEnd(16, ' ')).body));
    const events = (await ask('http://127.0.0.1:4001/')).body?.getReader();
    for (let read = 0; read < 8; read += 1) expect((await events?.read())?.done).toBe(false);
    answering(() => new Response(endless().body));
    await expect((await ask('http://127.0.0.1:4001/')).text()).rejects.toThrow(ShipFailure);
  });

  it('[OUT4] a file that is read into memory has its own limit', async () => {
    expect(await readText(new Blob(['héllo']).stream())).toBe('héllo');
    await expect(readText(endless().body)).rejects.toMatchObject({ error: { code: 'too-large' } });
  });
});

const supervisor = (path: string, port = '49983') =>
  new Request(`http://127.0.0.1:4001${path}`, { headers: { 'e2b-sandbox-port': port } });
const json = () =>
  new Response(endless().body, { headers: { 'content-type': 'application/json' } });

describe('answers that E2B’s SDK reads', () => {
  it('[OUT4] of the supervisor are bounded: whole, or message by message', async () => {
    const guarded = guardSupervisor(supervisor('/filesystem.Filesystem/ListDir'), json());
    await expect(guarded.text()).rejects.toThrow(ShipFailure);
    // A first message that announces four gigabytes.
    const announced = new Uint8Array([0, 0xff, 0xff, 0xff, 0xff, 1]);
    const stream = new Response(announced, {
      headers: { 'content-type': 'application/connect+json' },
    });
    stream.headers.delete('content-length');
    const messages = guardSupervisor(supervisor('/process.Process/Start'), stream);
    await expect(messages.text()).rejects.toThrow(ShipFailure);
  });

  it.each([
    ['files, which are streamed', supervisor('/files')],
    ['ports, which browsers read', supervisor('/large.json', '3000')],
    ['the sandbox service itself', new Request('http://127.0.0.1:4001/sandboxes')],
  ])('[OUT4] those of %s pass as they are', (_, request) => {
    const answer = json();
    expect(guardSupervisor(request, answer)).toBe(answer);
  });
});
