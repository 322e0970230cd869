import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { getJson } from './get-json.ts';

const Wanted = z.object({ n: z.int() });
const signal = new AbortController().signal;
const answering = (body: string, status = 200) => ({
  signal,
  fetch: () => Promise.resolve(new Response(body, { status })),
});
const refused = () => Promise.reject(new TypeError('Failed to fetch'));

describe('getJson', () => {
  it('gives the parsed body, whatever the status', async () => {
    await expect(getJson('/x', Wanted, answering('{"n":1}', 503))).resolves.toEqual({ n: 1 });
  });

  it("passes the server's own remedy on", async () => {
    const info = { code: 'c', category: 'fatal', message: 'm', remedy: 'r' };
    await expect(
      getJson('/x', Wanted, answering(JSON.stringify({ error: info }), 500)),
    ).rejects.toMatchObject({ info });
  });

  it.each(['<p>not JSON', '{"n":"one"}', ''])('does not trust %j', async (body) => {
    await expect(getJson('/x', Wanted, answering(body))).rejects.toMatchObject({
      info: { code: 'not_understood' },
    });
  });

  it('calls a refused connection unreachable', async () => {
    await expect(getJson('/x', Wanted, { signal, fetch: refused })).rejects.toMatchObject({
      info: { code: 'unreachable' },
    });
  });
});
