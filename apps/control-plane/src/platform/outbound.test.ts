import { describe, expect, it, vi } from 'vitest';
import { createOutbound, operatorFetch, withinOrigin } from './outbound.ts';

/** Records requests and answers with its own name. */
function service(name: string, requests: string[]) {
  return {
    fetch: async (input: RequestInfo | URL, init?: RequestInit) => {
      const request = new Request(input, init);
      requests.push(`${name} ${request.url} ${request.redirect}`);
      return new Response(name);
    },
  };
}

function outbound(hasServices = true) {
  const requests: string[] = [];
  const made = createOutbound({
    routes: [
      ['http://127.0.0.1:4001/api', hasServices ? service('sandboxes', requests) : undefined],
      [null, service('absent', requests)],
    ],
    operatorNetwork: hasServices ? service('operator', requests) : undefined,
    guard: (request, answer) =>
      request.headers.has('x-guarded') ? new Response('guarded') : answer,
    platform: service('platform', requests),
  });
  return { ...made, requests };
}

describe('outbound fetch', () => {
  it('[OUT2] a destination with a service is reached through it alone, for every caller', async () => {
    const { fetch: plain, operatorFetch: operator, requests } = outbound();
    await plain('http://127.0.0.1:4001/files', { redirect: 'follow' });
    await operator(new Request('http://127.0.0.1:4001/files'));
    expect(requests).toEqual(Array(2).fill('sandboxes http://127.0.0.1:4001/files manual'));
  });

  it('[OUT3] everything else uses the platform, and the operator’s addresses the operator network', async () => {
    const { fetch: plain, operatorFetch: operator, requests } = outbound();
    await plain('http://127.0.0.1:4002/');
    await operator('http://127.0.0.1:4002/');
    expect(requests).toEqual([
      'platform http://127.0.0.1:4002/ manual',
      'operator http://127.0.0.1:4002/ manual',
    ]);
  });

  it('[OUT1] without services, as in the cloud, no redirect is followed either', async () => {
    const { fetch: plain, operatorFetch: operator, requests } = outbound(false);
    await plain(new Request('http://127.0.0.1:4001/', { redirect: 'follow' }));
    await operator('http://127.0.0.1:4001/', { redirect: 'follow' });
    expect(requests).toEqual(Array(2).fill('platform http://127.0.0.1:4001/ manual'));
  });

  it('[OUT4] responses pass the guard', async () => {
    const { fetch: plain } = outbound();
    const answer = await plain('http://127.0.0.1:4001/', { headers: { 'x-guarded': 'yes' } });
    expect(await answer.text()).toBe('guarded');
  });

  it('[OUT1] operatorFetch follows no redirect even when nothing is installed', async () => {
    const requests: string[] = [];
    vi.stubGlobal('fetch', service('global', requests).fetch);
    await operatorFetch('http://127.0.0.1:4001/', { redirect: 'follow' });
    vi.unstubAllGlobals();
    expect(requests).toEqual(['global http://127.0.0.1:4001/ manual']);
  });
});

describe('redirects of a forge', () => {
  type Step = [status: number, location?: string];
  const forge = (...steps: Step[]) => {
    const requests: string[] = [];
    const fetcher: typeof fetch = async (input, init) => {
      const { method = 'GET', body } = init ?? {};
      const { url } = new Request(input);
      requests.push(`${method} ${url} ${typeof body === 'string' ? body : ''}`.trim());
      const [status, location] = steps.shift() ?? [200];
      return new Response(null, {
        status,
        ...(location !== undefined && { headers: { location } }),
      });
    };
    return { fetcher, requests };
  };
  const from = 'https://api.example.com/repos/a/old';

  it('[OUT1] are followed on the same host', async () => {
    const { fetcher, requests } = forge([301, '/repositories/1']);
    expect((await withinOrigin(fetcher, from, {})).status).toBe(200);
    expect(requests).toEqual([`GET ${from}`, 'GET https://api.example.com/repositories/1']);
  });

  it.each([
    [307, 'PATCH https://api.example.com/b x'],
    [308, 'PATCH https://api.example.com/b x'],
    [302, 'GET https://api.example.com/b'],
    [303, 'GET https://api.example.com/b'],
  ])('[OUT1] %s keeps or drops method and body as fetch does', async (status, second) => {
    const { fetcher, requests } = forge([status, '/b']);
    await withinOrigin(fetcher, from, { method: 'PATCH', body: 'x' });
    expect(requests[1]).toBe(second);
  });

  it.each(['https://evil.example/', 'http://api.example.com/', 'http://127.0.0.1:80/', 'http://['])(
    '[OUT1] to %s are an error, and nothing is sent there',
    async (location) => {
      const { fetcher, requests } = forge([302, location]);
      await expect(withinOrigin(fetcher, from, {})).rejects.toThrow('not followed');
      expect(requests).toHaveLength(1);
    },
  );

  it('[OUT1] are limited', async () => {
    const { fetcher, requests } = forge(...Array.from({ length: 9 }, (): Step => [302, '/again']));
    await expect(withinOrigin(fetcher, from, {})).rejects.toThrow('not followed');
    expect(requests).toHaveLength(4);
  });

  it.each([[304], [302]] as Step[])('[OUT1] %s without a location is an answer', async (status) => {
    expect((await withinOrigin(forge([status]).fetcher, from, {})).status).toBe(status);
  });
});
