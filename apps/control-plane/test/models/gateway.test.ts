/** The gateway in a real workerd process, in front of the scripted model, over loopback. */
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type DemoModel, parseScript, startDemoModel } from '@ship/demo-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayProcess, type TestSession } from './gateway-process.ts';
import { NAMES, PROVIDERS, type ProviderName, pathOf, question } from './requests.ts';

const MINUTE_MS = 60_000;
const KEY = 'sk-planted-0123456789abcdef';
const SAY = 'There are several words in this answer, enough for a few pieces.';
const LIMITS = { headersMs: 4_000, idleMs: 4_000, heartbeatMs: 100, maxDurationMs: 60_000 };

const FAULTS = {
  'rate-limit': { kind: 'rate-limit', retryAfterSec: 7 },
  'server-error': { kind: 'server-error' },
  unauthorized: { kind: 'unauthorized', message: `Incorrect API key provided: ${KEY}` },
  'context-overflow': { kind: 'context-overflow' },
  'http-error': { kind: 'http-error', status: 529 },
  'hang-before-headers': { kind: 'hang-before-headers' },
  'hang-mid-stream': { kind: 'hang-mid-stream' },
  'cut-stream': { kind: 'cut-stream' },
  'malformed-json': { kind: 'malformed-json' },
  'malformed-sse': { kind: 'malformed-sse' },
  'error-in-stream': { kind: 'error-in-stream', message: `failed for ${KEY}` },
  'bad-tool-json': { kind: 'bad-tool-json' },
  'empty-answer': { kind: 'empty-answer' },
  'slow-drip': { kind: 'slow-drip', everyMs: 20 },
} as const;

const script = parseScript({
  name: 'gateway',
  rules: [
    ...Object.values(FAULTS).map((fault) => ({
      name: fault.kind,
      when: { prompt: `fault ${fault.kind}.` },
      steps: [
        {
          say: SAY,
          faults: [fault],
          ...(fault.kind === 'bad-tool-json' && { calls: [{ tool: 'ls', input: { a: 1 } }] }),
        },
      ],
    })),
    {
      name: 'wait',
      when: { prompt: 'pause' },
      steps: [{ say: SAY, faults: [{ kind: 'hang-mid-stream', forMs: 3_300 }] }],
    },
    {
      name: 'cached',
      when: { prompt: 'cached' },
      steps: [
        {
          think: 'Hm.',
          say: SAY,
          usage: {
            inputTokens: 1_000,
            cacheReadTokens: 5_000,
            cacheWriteTokens: 0,
            outputTokens: 70,
            reasoningTokens: 9,
          },
        },
      ],
    },
    { name: 'hello', when: { prompt: '*' }, steps: [{ think: 'Hm.', say: SAY }] },
  ],
});

let model: DemoModel;
let gateway: GatewayProcess;
let odd: Server;

beforeAll(async () => {
  model = await startDemoModel({ script, apiKey: KEY });
  odd = createServer((request, response) => {
    if (request.url === '/denied/models') response.writeHead(401).end();
    else response.writeHead(302, { location: 'http://127.0.0.1:1/elsewhere' }).end();
  });
  await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
  gateway = await GatewayProcess.start({ LIMITS: JSON.stringify(LIMITS) });
  for (const name of NAMES) {
    const { protocol } = PROVIDERS[name];
    const put = { protocol, baseUrl: model.baseUrl, key: KEY, models: MODELS };
    await gateway.api('PUT', `/providers/${name}`, put);
  }
  const { port } = odd.address() as AddressInfo;
  for (const [id, baseUrl] of Object.entries({
    odd: `http://127.0.0.1:${port}`,
    gone: 'http://127.0.0.1:1',
  }))
    await gateway.api('PUT', `/providers/${id}`, {
      protocol: 'openai-chat',
      baseUrl,
      models: MODELS,
    });
}, MINUTE_MS);

afterAll(async () => {
  await gateway?.stop();
  await model?.close();
  odd?.close();
});

const PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const MODELS = { demo: { price: PRICE, outputTokens: 8192 }, unpriced: {} };
const ALL = [...NAMES, 'odd', 'gone'].flatMap((name) => [`${name}/demo`, `${name}/unpriced`]);
const newSession = (terms = {}): Promise<TestSession> => gateway.session({ models: ALL, ...terms });

async function ask(session: TestSession, name: ProviderName, text: string, rest: object = {}) {
  const response = await session.call(pathOf(name), question(name, text, rest));
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const code = (text: string): string => (JSON.parse(text) as { error: { code: string } }).error.code;

describe('model gateway', { timeout: MINUTE_MS }, () => {
  it.each(NAMES)(
    '[GM2] %s: adds the key, forwards the answer and records its cost',
    async (name) => {
      const session = await newSession();
      const before = model.served().totals.costPicoUsd;
      for (const text of ['cached', 'hello', 'hello again'])
        expect(await ask(session, name, text)).toMatchObject({ status: 200 });
      const whole = await ask(session, name, 'hello', { stream: false });
      expect(whole.text).toContain(SAY);
      expect(whole.headers.get('content-type')).toContain('application/json');
      const { spent } = await session.view();
      const ledgerMicros = (model.served().totals.costPicoUsd - before) / 1e6;
      expect(Math.abs(spent.micros - ledgerMicros)).toBeLessThanOrEqual(2);
      expect(spent).toMatchObject({ calls: 4, estimatedCalls: 0, unpricedCalls: 0 });
      expect(spent.usage.cacheReadTokens).toBe(5_000);
    },
  );

  it('[GM1] without a capability every call is refused, in the provider’s error format', async () => {
    const session = await newSession();
    const requests = model.served().totals.requests;
    for (const authorization of [
      '',
      'Bearer nothing',
      `Bearer ${KEY}`,
      `Bearer ${session.capability}x`,
    ]) {
      const refused = await session.call('chat/chat/completions', question('chat', 'hello'), {
        headers: { authorization },
      });
      expect([refused.status, code(await refused.text())]).toEqual([401, 'unauthenticated']);
    }
    const headers = { authorization: '', 'x-api-key': 'wrong' };
    const anthropic = await session.call(pathOf('messages'), question('messages', 'hi'), {
      headers,
    });
    expect(await anthropic.json()).toMatchObject({
      type: 'error',
      error: { type: 'authentication_error' },
    });
    const own = { authorization: '', 'x-api-key': session.capability };
    expect(
      (await session.call(pathOf('messages'), question('messages', 'hi'), { headers: own })).status,
    ).toBe(200);
    expect(model.served().totals.requests).toBe(requests + 1);
  });

  it('[GM3] the answer streams: the first event arrives long before the last', async () => {
    const session = await newSession();
    const response = await session.call(pathOf('chat'), question('chat', 'pause'));
    let all = '';
    let wasRunning: boolean | undefined;
    for await (const chunk of response.body ?? []) {
      all += new TextDecoder().decode(chunk);
      // A chunk may end inside an event: only the whole first event proves that it was forwarded.
      if (all.includes('assistant'))
        wasRunning ??= model.served().entries.at(-1)?.outcome === 'running';
    }
    expect(wasRunning).toBe(true);
    // While the provider is silent the gateway sends comments, which detect a client that left.
    expect(all).toMatch(/^: /m);
    expect(all).toContain('[DONE]');
  });

  it.each([
    ['GET', 'chat/chat/completions', 404],
    ['POST', 'chat/models', 404],
    ['POST', 'chat/responses', 404],
    ['POST', 'chat/chat/completions/', 404],
    ['POST', 'nobody/chat/completions', 404],
    ['DELETE', 'messages/messages', 404],
  ])('[GM5] %s %s is refused', async (method, path, status) => {
    const session = await newSession();
    const init = method === 'GET' ? { method, body: null } : { method };
    const response = await fetch(`${gateway.url}/gateway/models/${path}`, {
      ...init,
      headers: { authorization: `Bearer ${session.capability}` },
    });
    expect([response.status, code(await response.text())]).toEqual([status, 'not-found']);
  });

  it('[GM5] bodies are JSON and bounded, and a duplicate field is sent once', async () => {
    const session = await newSession({ models: ['chat/demo'] });
    const refused = await session.call(pathOf('chat'), 'not json');
    expect([refused.status, code(await refused.text())]).toEqual([400, 'invalid-input']);
    const large = await session.call(pathOf('chat'), 'x'.repeat(17 * 1024 * 1024));
    expect([large.status, code(await large.text())]).toEqual([413, 'too-large']);
    const twice =
      '{"model":"demo-small","model":"demo","messages":[{"role":"user","content":"hello"}]}';
    expect((await session.call(pathOf('chat'), twice)).status).toBe(200);
    expect(model.served().entries.at(-1)?.model).toBe('demo');
  });

  it('[GM6] a session may call only its models', async () => {
    const session = await newSession({ models: ['chat/demo'] });
    const other = await ask(session, 'messages', 'hello');
    expect([other.status, code(other.text)]).toEqual([403, 'model-not-allowed']);
    expect(other.text).toContain('chat/demo');
  });

  it.each(NAMES)(
    '[GM9] %s: a spent budget is refused with a code that pauses the turn, and no agent retries',
    async (name) => {
      const session = await newSession({ session: { micros: 20, tokens: null } });
      expect((await ask(session, name, 'hello')).status).toBe(200);
      const refused = await ask(session, name, 'hello');
      expect([refused.status, code(refused.text)]).toEqual([402, 'budget-exhausted']);
      expect(refused.headers.get('x-ship-error')).toBe('budget-exhausted');
      await session.setTerms({ models: ALL, session: { micros: 1_000_000, tokens: null } });
      expect((await ask(session, name, 'hello')).status).toBe(200);
    },
  );

  it('[GM9] a call that only open reservations block may be retried a little later', async () => {
    const session = await newSession({ session: { micros: 20, tokens: null } });
    const running = await session.call(pathOf('chat'), question('chat', 'pause'));
    const refused = await ask(session, 'chat', 'hello');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3']);
    await running.text();
  });

  it('[MT4] a model without a known price: counted as unknown, refused under a cap in dollars', async () => {
    const session = await newSession({ session: { micros: 1_000_000, tokens: null } });
    const refused = await ask(session, 'chat', 'hello', { model: 'unpriced' });
    expect([refused.status, code(refused.text)]).toEqual([402, 'price-unknown']);
  });

  it('[GM7] a session that calls too fast is slowed down', async () => {
    const session = await newSession({ models: [] });
    const all = await Promise.all(
      Array.from({ length: 200 }, () => session.call('chat/none', '{}')),
    );
    const slowed = all.filter(({ status }) => status === 429);
    expect(slowed.length).toBeGreaterThan(0);
    expect(slowed[0]?.headers.get('retry-after')).toMatch(/^\d+$/);
    for (const response of all) await response.text();
  });
});

describe('when the provider fails', { timeout: MINUTE_MS }, () => {
  it.each([
    ['rate-limit', 429],
    ['server-error', 500],
    ['unauthorized', 401],
    ['context-overflow', 400],
    ['http-error', 529],
  ] as const)(
    '[GM10] %s keeps its status, its message and its retry-after; it costs nothing',
    async (kind, status) => {
      for (const name of NAMES) {
        const session = await newSession();
        const answer = await ask(session, name, `fault ${kind}.`);
        expect(answer.status).toBe(status);
        expect(answer.headers.get('retry-after')).toBe(kind === 'rate-limit' ? '7' : null);
        if (kind === 'context-overflow') expect(answer.text).toContain('maximum context length');
        expect(answer.text).not.toContain('planted');
        const view = await session.view();
        expect(view).toMatchObject({ hasOpenCalls: false, spent: { micros: 0, calls: 0 } });
      }
    },
  );

  it.each(['cut-stream', 'hang-mid-stream'] as const)(
    '[GM10] %s: the agent gets an error, and the usage is estimated',
    async (kind) => {
      const check = async (name: ProviderName): Promise<void> => {
        const session = await newSession();
        const { text } = await ask(session, name, `fault ${kind}.`);
        expect(text.trimEnd().split('\n').at(-1)).toContain('cut off');
        const { spent } = await session.untilSettled();
        expect(spent).toMatchObject({ calls: 1, estimatedCalls: 1 });
        expect(spent.micros).toBeGreaterThan(0);
      };
      await Promise.all(NAMES.map(check));
    },
  );

  it.each(['malformed-json', 'malformed-sse', 'error-in-stream'] as const)(
    '[GM10] %s is forwarded unchanged, without the key, and its usage is estimated',
    async (kind) => {
      for (const name of NAMES) {
        const session = await newSession();
        const { status, text } = await ask(session, name, `fault ${kind}.`);
        expect([status, text.includes('planted')]).toEqual([200, false]);
        expect(text).toContain(
          {
            'malformed-json': 'half a',
            'malformed-sse': '502 Bad Gateway',
            'error-in-stream': '[redacted]',
          }[kind],
        );
        expect((await session.untilSettled()).spent).toMatchObject({ calls: 1, estimatedCalls: 1 });
      }
    },
  );

  it.each(['bad-tool-json', 'empty-answer', 'slow-drip'] as const)(
    '[GM2] %s is handled like any other answer',
    async (kind) => {
      for (const name of NAMES) {
        const session = await newSession();
        expect((await ask(session, name, `fault ${kind}.`)).status).toBe(200);
        expect((await session.untilSettled()).spent).toMatchObject({ calls: 1, estimatedCalls: 0 });
      }
    },
  );

  it('[GM10] a provider that never responds, is unreachable or redirects', async () => {
    const session = await newSession();
    const late = await ask(session, 'chat', 'fault hang-before-headers.');
    expect([late.status, code(late.text)]).toEqual([504, 'timed-out']);
    // The provider may have billed the call: it counts at its reservation.
    const { spent } = await session.untilSettled();
    expect(spent).toMatchObject({ calls: 1, estimatedCalls: 1 });
    const gone = await session.call('gone/chat/completions', question('chat', 'hello'));
    expect([gone.status, code(await gone.text())]).toEqual([503, 'unreachable']);
    const moved = await session.call('odd/chat/completions', question('chat', 'hello'));
    expect(moved.status).toBe(502);
    expect(await session.view()).toMatchObject({ hasOpenCalls: false, spent });
  });

  it('[GM11] a client that disconnects ends the call to the provider, and its usage is recorded', async () => {
    const session = await newSession();
    const leaving = new AbortController();
    const response = await session.call(
      pathOf('chat'),
      question('chat', 'fault hang-mid-stream.'),
      { signal: leaving.signal },
    );
    await response.body?.getReader().read();
    leaving.abort();
    expect((await session.untilSettled()).spent).toMatchObject({ calls: 1, estimatedCalls: 1 });
    await expect
      .poll(() => model.served().entries.at(-1)?.outcome, { timeout: 10_000 })
      .toBe('aborted');
  });

  it('[GM11] a client that resets its connection before the answer begins does too', async () => {
    const session = await newSession();
    const requests = model.served().totals.requests;
    const request = httpRequest(`${gateway.url}/gateway/models/${pathOf('chat')}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${session.capability}` },
    });
    request.on('error', () => undefined);
    request.end(JSON.stringify(question('chat', 'fault hang-before-headers.')));
    await expect.poll(() => model.served().totals.requests, { timeout: 10_000 }).toBe(requests + 1);
    request.socket?.resetAndDestroy();
    await expect
      .poll(() => model.served().entries.at(-1)?.outcome, { timeout: 10_000 })
      .toBe('aborted');
    expect((await session.untilSettled()).spent).toMatchObject({ calls: 1, estimatedCalls: 1 });
  });
});

describe('keys', { timeout: MINUTE_MS }, () => {
  it('[GM8] no response of the API and no log contains a key', async () => {
    for (const path of [
      '/providers',
      '/models',
      '/spending',
      '/usage',
      '/openapi.json',
      '/secrets',
    ]) {
      const text = await (await gateway.api('GET', path)).text();
      expect([path, text.includes('planted')]).toEqual([path, false]);
    }
    expect(gateway.log).not.toContain('planted');
    expect(gateway.log).not.toContain('shipcap_');
  });

  it('[PV4] only reachable providers offer models; the others say why not', async () => {
    const list = (await (await gateway.api('GET', '/models')).json()) as {
      models: { ref: string; price: object | null; isDemo: boolean }[];
      unavailable: { providerId: string; error: { code: string } }[];
    };
    expect(list.models.map(({ ref }) => ref)).toContain('chat/demo');
    expect(list.models.find(({ ref }) => ref === 'chat/unpriced')?.price).toBeNull();
    expect(
      list.unavailable.map(({ providerId, error }) => [providerId, error.code]),
    ).toContainEqual(['gone', 'unreachable']);
    await gateway.api('PUT', '/providers/wrong', {
      protocol: 'openai-chat',
      baseUrl: `http://127.0.0.1:${(odd.address() as AddressInfo).port}/denied`,
    });
    const again = (await (await gateway.api('GET', '/models')).json()) as typeof list;
    expect(again.unavailable.find(({ providerId }) => providerId === 'wrong')?.error.code).toBe(
      'credentials-refused',
    );
    await gateway.api('DELETE', '/providers/wrong');
  });
});
