import { HostStatus, shipError } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { getJson } from './get-json.ts';

const signal = new AbortController().signal;
const answering = (body: string, status = 200) => ({
  signal,
  fetch: () => Promise.resolve(new Response(body, { status })),
});
const refused = () => Promise.reject(new TypeError('Failed to fetch'));

describe('getJson', () => {
  it('gives the parsed body, whatever the status', async () => {
    await expect(getJson('/x', HostStatus, answering('{"parts":[]}', 503))).resolves.toEqual({
      parts: [],
    });
  });

  it("passes the server's own remedy on", async () => {
    const error = shipError('internal', 'It broke.', 'Report it.');
    await expect(
      getJson('/x', HostStatus, answering(JSON.stringify({ error }), 500)),
    ).rejects.toMatchObject({ error });
  });

  it.each(['<p>not JSON', '{"parts":"one"}', ''])('does not trust %j', async (body) => {
    await expect(getJson('/x', HostStatus, answering(body))).rejects.toMatchObject({
      error: { code: 'not-understood' },
    });
  });

  it('calls a refused connection unreachable', async () => {
    await expect(getJson('/x', HostStatus, { signal, fetch: refused })).rejects.toMatchObject({
      error: { code: 'unreachable' },
    });
  });
});
