import { HostStatus, shipError } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { noContent, requestJson } from './request-json.ts';

const signal = new AbortController().signal;
const answering = (body: string, status = 200) => ({
  signal,
  fetch: () => Promise.resolve(new Response(body, { status })),
});
const refused = () => Promise.reject(new TypeError('Failed to fetch'));

describe('requestJson', () => {
  it('returns the parsed body regardless of the status', async () => {
    await expect(requestJson('/x', HostStatus, answering('{"parts":[]}', 503))).resolves.toEqual({
      parts: [],
    });
  });

  it("passes on the server's remedy", async () => {
    const error = shipError('internal', 'It broke.', 'Report it.');
    await expect(
      requestJson('/x', HostStatus, answering(JSON.stringify({ error }), 500)),
    ).rejects.toMatchObject({ error });
  });

  it.each(['<p>not JSON', '{"parts":"one"}', ''])('rejects the invalid body %j', async (body) => {
    await expect(requestJson('/x', HostStatus, answering(body))).rejects.toMatchObject({
      error: { code: 'not-understood' },
    });
  });

  it('reports a refused connection as unreachable', async () => {
    await expect(requestJson('/x', HostStatus, { signal, fetch: refused })).rejects.toMatchObject({
      error: { code: 'unreachable' },
    });
  });

  it('sends a change as JSON and accepts an empty response', async () => {
    const sent: RequestInit[] = [];
    const fetch = (_: unknown, init?: RequestInit) => {
      if (init !== undefined) sent.push(init);
      return Promise.resolve(new Response(null, { status: 204 }));
    };
    await expect(
      requestJson('/x', noContent, { method: 'PATCH', body: { a: 1 }, fetch }),
    ).resolves.toBeUndefined();
    expect(sent).toMatchObject([
      { method: 'PATCH', body: '{"a":1}', headers: { 'content-type': 'application/json' } },
    ]);
  });

  it('rejects a failure without a body', async () => {
    await expect(requestJson('/x', noContent, answering('', 502))).rejects.toMatchObject({
      error: { code: 'not-understood' },
    });
  });

  it('rejects an error body even if the schema accepts it', async () => {
    const error = shipError('limit-reached', 'Too many.', 'Wait.');
    await expect(
      requestJson('/x', noContent, answering(JSON.stringify({ error }), 409)),
    ).rejects.toMatchObject({ error });
  });
});
