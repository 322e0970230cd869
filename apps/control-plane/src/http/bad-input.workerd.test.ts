import { ErrorBody } from '@ship/protocol';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { LOCAL_TOKEN, concretePath, testApi } from '../testing/api.ts';

const PLANTED = 'planted-secret-8b2f';
const codeOf = async (response: Response) => ErrorBody.parse(await response.json()).error.code;

describe('bad input', () => {
  it('[AP3] a body must be JSON, and of a bounded size', async () => {
    const api = testApi();
    const post = (body: BodyInit, type: string) =>
      api.ask('/api/tokens', {
        method: 'POST',
        body,
        headers: { authorization: `Bearer ${LOCAL_TOKEN}`, 'content-type': type },
      });
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      '',
    ])
      expect(await codeOf(await post('{"name":"x"}', type))).toBe('unsupported-media-type');
    expect(await codeOf(await post('{"name":', 'application/json'))).toBe('invalid-input');
    const huge = `{"name":"${'x'.repeat(600_000)}"}`;
    expect(await codeOf(await post(huge, 'application/json'))).toBe('too-large');
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(32)),
    });
    expect(await codeOf(await post(endless, 'application/json'))).toBe('too-large');
    expect((await post('{"name":"x"}', 'Application/JSON; charset=utf-8')).status).toBe(201);
  });

  it('[AP2] 1,000 random requests: never a 500, never a stack trace, never a changed state', async () => {
    const api = testApi();
    const before = await state();
    const logged = vi.spyOn(console, 'error');
    const keys = [
      'title',
      'requestId',
      'location',
      'name',
      'value',
      'cardId',
      'column',
      'after',
      'limits',
      'idle',
      '__proto__',
      'constructor',
    ];
    const value = fc.oneof(
      fc.anything({ maxDepth: 2 }),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('1e999', -1, 2 ** 60, '\u0000', '../..', { $ne: null }),
    );
    const request = fc.record({
      route: fc.constantFrom(...api.endpoints),
      // No contract has the last key, so even a lucky guess is refused.
      body: fc
        .dictionary(fc.constantFrom(...keys), value, { maxKeys: 4 })
        .map((body) => ({ ...body, unknown: 1 })),
      query: fc.array(
        fc.tuple(
          fc.constantFrom('q', 'status', 'column', 'cursor', 'limit', 'after', 'from', 'by'),
          fc.string({ unit: 'binary', maxLength: 30 }),
        ),
        { maxLength: 3 },
      ),
      segment: fc.option(fc.string({ unit: 'binary', minLength: 1, maxLength: 40 })),
      raw: fc.option(fc.string({ unit: 'binary' })),
    });
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(request, async ({ route, body, query, segment, raw }) => {
        const path =
          segment === null
            ? concretePath(route.path)
            : `/api${route.path.replaceAll(/\{\w+\}/g, encode(segment))}`;
        const search = new URLSearchParams(query.map(([k, v]) => [k, v.toWellFormed()]));
        const response = await api.ask(`${path}?${search.toString()}`, {
          method: route.method.toUpperCase(),
          headers: {
            authorization: `Bearer ${LOCAL_TOKEN}`,
            'content-type': 'application/json',
          },
          ...(route.method !== 'get' && { body: raw ?? safeJson(body) }),
        });
        const text = await response.text();
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        expect(response.status).toBeLessThan(500);
        expect(text).not.toMatch(/\n\s+at |SQLITE|workerd/);
        if (response.status >= 400)
          expect(ErrorBody.parse(JSON.parse(text)).error.remedy).not.toBe('');
      }),
      { numRuns: 1_000 },
    );
    expect(logged).not.toHaveBeenCalled();
    logged.mockRestore();
    expect(await state()).toEqual(before);
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 404]));

    async function state() {
      const paths = ['/sessions', '/board', '/repositories', '/settings', '/secrets', '/tokens'];
      return Promise.all(
        paths.map(async (path) => (await api.call('GET', `/api${path}`)).json<unknown>()),
      );
    }
  }, 60_000);

  it('[AP2] 500 almost valid requests: never a 500, and every refusal names the reason', async () => {
    const api = testApi();
    const { cardId } = await api
      .call('POST', '/api/board/cards', { title: 'one', requestId: 'request-1' })
      .then((response) => response.json<{ cardId: string }>());
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom('\u0000', '\ud800', '😀', ' ', 'a'.repeat(201), "'; DROP TABLE cards; --"),
    );
    const maybe = fc.option(text);
    const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, -0, 1e308));
    const requestId = fc.constantFrom('request-1', 'request-2', 'request-3');
    const bodies = {
      'POST /api/board/cards': fc.record({ title: text, text: text, base: maybe, requestId }),
      [`PATCH /api/board/cards/${cardId}`]: fc.record({ title: text, model: maybe }),
      'PATCH /api/board': fc.record({
        cardId: fc.constant(cardId),
        column: fc.constantFrom('backlog', 'done'),
        after: fc.constantFrom(null, cardId),
      }),
      'POST /api/repositories': fc.record({
        location: text.map((each) => `/srv/${each}`),
        name: text,
        setupCommand: maybe,
      }),
      'PATCH /api/settings': fc.record(
        {
          limits: fc.record({ maxStepsPerTurn: number }),
          idle: fc.record({ pauseAfterMs: number, sleepAfterMs: number }),
          budgets: fc.record({ dailyUsd: fc.option(number) }),
          egress: fc.record({ allow: fc.array(text) }),
          author: fc.record({ name: maybe }),
        },
        { requiredKeys: [] },
      ),
      'PUT /api/secrets/KEY': fc.record({ value: text }),
      'POST /api/tokens': fc.record({ name: text }),
    };
    const request = fc.oneof(
      ...Object.entries(bodies).map(([route, body]) => fc.tuple(fc.constant(route), body)),
    );
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(request, async ([route, body]) => {
        const [method = '', path = ''] = route.split(' ');
        const response = await api.call(method, path, body);
        const answer = await response.json();
        statuses.add(response.status);
        expect(response.status).toBeLessThan(500);
        if (response.status >= 400) expect(ErrorBody.parse(answer).error.remedy).not.toBe('');
      }),
      { numRuns: 500 },
    );
    expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 400, 409]));
    for (const path of ['/board', '/repositories', '/settings', '/secrets', '/tokens'])
      expect((await api.call('GET', `/api${path}`)).status).toBe(200);
  }, 60_000);

  it('[SC4] no response and no log contains a secret', async () => {
    const api = testApi();
    const logs: unknown[] = [];
    const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((level) =>
      vi.spyOn(console, level).mockImplementation((...given: unknown[]) => void logs.push(given)),
    );
    const answers: string[] = [];
    const ask = async (method: string, path: string, body?: unknown) => {
      const response = await api.call(method, path, body);
      answers.push(await response.text(), JSON.stringify([...response.headers]));
    };
    await ask('PUT', '/api/secrets/KEY', { value: PLANTED });
    await ask('PUT', '/api/secrets/KEY', { value: PLANTED, repositoryId: PLANTED });
    await ask('PUT', '/api/secrets/KEY', { value: { nested: PLANTED } });
    await ask('PUT', '/api/secrets/bad-name', { value: PLANTED });
    await ask('PUT', '/api/secrets/KEY', { value: PLANTED.repeat(5_000) });
    await ask('POST', '/api/secrets/KEY', { value: PLANTED });
    await ask('POST', '/api/repositories', { location: `https://x:${PLANTED}@forge.example/a` });
    for (const { method, path } of api.endpoints)
      if (method === 'get' && path !== '/live') await ask('GET', concretePath(path));
    await api.stub.secretsFor('/srv/shop');
    spies.forEach((spy) => spy.mockRestore());
    expect(answers.join('\n')).toContain('KEY');
    expect(answers.join('\n')).not.toContain(PLANTED);
    expect(JSON.stringify(logs)).not.toContain(PLANTED);
  });
});

/** A URL cannot contain a lone surrogate. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch {
    return 'null';
  }
}
