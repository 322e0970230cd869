/** Attacks of a hostile sandbox on the model gateway, in a real workerd, in front of a provider that bills at once. */
import { type IncomingMessage, type Server, createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayProcess, type TestSession } from '../models/gateway-process.ts';
import { NAMES, PROVIDERS, type ProviderName, pathOf, question } from '../models/requests.ts';
import { BillingProvider, PRICE } from './billing-provider.ts';

const MINUTE_MS = 60_000;
const LIMITS = { headersMs: 20_000, idleMs: 20_000, heartbeatMs: 50, maxDurationMs: 60_000 };
const MODELS = {
  demo: { price: PRICE, outputTokens: 8_192, contextTokens: 1_000_000, images: true },
};
const REFS = NAMES.map((name) => `${name}/demo`);

let provider: BillingProvider;
let gateway: GatewayProcess;
let canary: Server;
let canaryUrl: string;
let visits = 0;

beforeAll(async () => {
  provider = await BillingProvider.start();
  canary = createServer((_request, response) => {
    visits += 1;
    response.end();
  });
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
  canaryUrl = `http://127.0.0.1:${(canary.address() as AddressInfo).port}/secret-of-the-repository`;
  gateway = await GatewayProcess.start({ LIMITS: JSON.stringify(LIMITS) });
  for (const name of NAMES) {
    const { protocol } = PROVIDERS[name];
    const put = { protocol, baseUrl: provider.url, key: 'sk-planted', models: MODELS };
    await gateway.api('PUT', `/providers/${name}`, put);
  }
}, MINUTE_MS);

afterAll(async () => {
  await gateway?.stop();
  await provider?.close();
  canary?.close();
});

const maxOf = (name: ProviderName) =>
  name === 'responses' ? { max_output_tokens: 4_000 } : { max_tokens: 4_000 };

/** The gateway's limits for a session. */
const CALLS_PER_MINUTE = 120;
const BURST = 60;
/** More than the limit for a minute. */
const FLOOD = 200;

/** Sends a call. `refusal` is the status of a response that is not the provider's. */
function callOf(session: TestSession, name: ProviderName, text: string) {
  const sent = httpRequest(`${gateway.url}/gateway/models/${pathOf(name)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${session.capability}` },
  });
  sent.on('error', () => undefined);
  const refusal = new Promise<number>((resolve) => {
    sent.on('response', (answer: IncomingMessage) => {
      answer.on('error', () => undefined);
      answer.resume();
      if (answer.statusCode !== 200) resolve(answer.statusCode ?? 0);
    });
  });
  sent.end(JSON.stringify(question(name, text, maxOf(name))));
  return { sent, refusal };
}

/** Sends a call and resets the connection once the provider has the request, or after the first event. */
async function hangUp(session: TestSession, name: ProviderName, text: string): Promise<number> {
  const before = provider.left;
  const sent = httpRequest(`${gateway.url}/gateway/models/${pathOf(name)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${session.capability}` },
  });
  sent.on('error', () => undefined);
  const answered = new Promise<number>((resolve) => {
    sent.on('response', (answer: IncomingMessage) => {
      answer.on('error', () => undefined);
      if (answer.statusCode !== 200) answer.resume();
      answer.once('data', () => resolve(answer.statusCode ?? 0));
    });
  });
  const requests = provider.requests;
  sent.end(JSON.stringify(question(name, text, maxOf(name))));
  const reached = async (): Promise<number> => {
    while (provider.requests === requests) await new Promise((resolve) => setTimeout(resolve, 5));
    return 0;
  };
  const status = await (text.includes('be silent')
    ? Promise.race([reached(), answered])
    : answered);
  if (status !== 0 && status !== 200) return status;
  sent.socket?.resetAndDestroy();
  await expect.poll(() => provider.left, { timeout: 20_000, interval: 5 }).toBe(before + 1);
  await session.untilSettled();
  return status;
}

describe('hanging up', { timeout: MINUTE_MS }, () => {
  it.each(NAMES)('[AT-H2A] attack: calls models for nothing by hanging up (%s)', async (name) => {
    const session = await gateway.session({ models: REFS });
    const before = provider.billedMicros;
    const letters = 'q'.repeat(100_000);
    for (const behaviour of ['be silent', 'begin and wait'])
      await hangUp(session, name, `${behaviour} ${letters}`);
    const { spent } = await session.view();
    expect(spent).toMatchObject({ calls: 2, estimatedCalls: 2 });
    expect(spent.micros).toBeGreaterThanOrEqual(provider.billedMicros - before);
  });

  it('[AT-H2B] attack: spends more than the cap by hanging up again and again', async () => {
    const capMicros = 1_000_000;
    const session = await gateway.session({
      models: REFS,
      session: { micros: capMicros, tokens: null },
    });
    const before = provider.billedMicros;
    let mostExpensive = 0;
    let status = 0;
    // Forty of these calls cost four times the cap.
    for (let call = 0; call < 40 && (status === 0 || status === 200); call++) {
      const billed = provider.billedMicros;
      const behaviour = call % 2 === 0 ? 'be silent' : 'begin and wait';
      status = await hangUp(session, 'chat', `${behaviour} ${'#q'.repeat(20_000)}`);
      mostExpensive = Math.max(mostExpensive, provider.billedMicros - billed);
    }
    expect(status).toBe(402);
    expect(provider.billedMicros - before).toBeLessThanOrEqual(capMicros + mostExpensive);
  });

  it('[AT-H2C] attack: calls faster than the limit by hanging up', async () => {
    const session = await gateway.session({ models: REFS });
    const requests = provider.requests;
    const startedAt = Date.now();
    const calls = Array.from({ length: FLOOD }, () => callOf(session, 'chat', 'be silent'));
    let limited = 0;
    for (const { refusal } of calls)
      void refusal.then((status) => (limited += Number(status === 429)));
    const reached = () => provider.requests - requests;
    await expect.poll(() => reached() + limited, { timeout: 50_000 }).toBe(FLOOD);
    const refilled = ((Date.now() - startedAt) * CALLS_PER_MINUTE) / MINUTE_MS;
    for (const { sent } of calls) sent.socket?.resetAndDestroy();
    await session.untilSettled();
    expect(reached()).toBeLessThanOrEqual(BURST + refilled + 1);
    expect((await session.view()).spent).toMatchObject({ calls: reached() });
  });

  it('[AT-H2D] attack: blocks a budget by leaving between the headers and the first event', async () => {
    const session = await gateway.session({ models: REFS });
    // The gap is short and moves with the load: each call hangs up a little later than the previous one.
    for (let call = 0; call < 24; call++) {
      const requests = provider.requests;
      const { sent } = callOf(session, 'chat', 'begin and wait');
      while (provider.requests === requests) await new Promise((resolve) => setImmediate(resolve));
      const leaveAt = performance.now() + call / 2;
      while (performance.now() < leaveAt) await new Promise((resolve) => setImmediate(resolve));
      sent.socket?.resetAndDestroy();
    }
    await session.untilSettled();
    expect((await session.view()).spent).toMatchObject({ calls: 24, estimatedCalls: 24 });
  });
});

const text = (name: ProviderName) => (name === 'responses' ? 'input_text' : 'text');
const withParts = (name: ProviderName, ...parts: object[]) => {
  const content = [{ type: text(name), text: 'What is this?' }, ...parts];
  const messages = [{ role: 'user', content }];
  const common = { model: 'demo', ...maxOf(name) };
  return name === 'responses' ? { ...common, input: messages } : { ...common, messages };
};
const plain = (name: ProviderName, rest: object) =>
  question(name, 'hello', { ...rest, stream: false });

const ways = (url: string): [string, ProviderName, object][] => [
  ['image_url', 'chat', withParts('chat', { type: 'image_url', image_url: { url } })],
  ['image_url as text', 'chat', withParts('chat', { type: 'image_url', image_url: url })],
  ['file', 'chat', withParts('chat', { type: 'file', file: { file_id: 'file-1', file_url: url } })],
  ['file_data', 'chat', withParts('chat', { type: 'file', file: { file_data: url } })],
  ['video_url', 'chat', withParts('chat', { type: 'video_url', video_url: { url } })],
  ['tool', 'chat', plain('chat', { tools: [{ type: 'mcp', server_url: url }] })],
  ['plugins', 'chat', plain('chat', { plugins: [{ id: 'web', url }] })],
  ['unknown field', 'chat', plain('chat', { fetch_first: url })],
  ['unknown stream option', 'chat', plain('chat', { stream_options: { callback: url } })],
  ['image', 'messages', withParts('messages', { type: 'image', source: { type: 'url', url } })],
  [
    'document',
    'messages',
    withParts('messages', { type: 'document', source: { type: 'url', url } }),
  ],
  [
    'file id',
    'messages',
    withParts('messages', { type: 'image', source: { type: 'file', file_id: url } }),
  ],
  [
    'image of a tool',
    'messages',
    withParts('messages', {
      type: 'tool_result',
      tool_use_id: 't',
      content: [{ type: 'image', source: { type: 'url', url } }],
    }),
  ],
  ['mcp_servers', 'messages', plain('messages', { mcp_servers: [{ type: 'url', url }] })],
  [
    'web_fetch',
    'messages',
    plain('messages', { tools: [{ type: 'web_fetch_20250910', name: url }] }),
  ],
  ['container', 'messages', plain('messages', { container: { id: url } })],
  ['input_image', 'responses', withParts('responses', { type: 'input_image', image_url: url })],
  ['input_file', 'responses', withParts('responses', { type: 'input_file', file_url: url })],
  ['file id', 'responses', withParts('responses', { type: 'input_image', file_id: url })],
  [
    'item_reference',
    'responses',
    plain('responses', { input: [{ type: 'item_reference', id: url }] }),
  ],
  ['reference without a type', 'responses', plain('responses', { input: [{ id: url }] })],
  [
    'output of a tool',
    'responses',
    plain('responses', {
      input: [
        {
          type: 'function_call_output',
          call_id: 'c',
          output: [{ type: 'input_image', image_url: url }],
        },
      ],
    }),
  ],
  [
    'hosted shell',
    'responses',
    plain('responses', {
      tools: [{ type: 'shell', environment: { type: 'container_auto', domain: url } }],
    }),
  ],
  [
    'computer',
    'responses',
    plain('responses', { tools: [{ type: 'computer_use_preview', environment: url }] }),
  ],
  ['prompt', 'responses', plain('responses', { prompt: { id: 'pmpt', variables: { url } } })],
];

describe('exfiltration through the provider', { timeout: MINUTE_MS }, () => {
  it('[AT-M3A] attack: sends a secret out in a URL that the provider fetches', async () => {
    const session = await gateway.session({ models: REFS });
    const before = visits;
    const passed: string[] = [];
    for (const [what, name, body] of ways(canaryUrl)) {
      const answer = await session.call(pathOf(name), body);
      const reply = await answer.text();
      if (
        answer.status === 200
          ? provider.bodies.at(-1)?.includes('http:') === true
          : /\d/.test(reply)
      )
        passed.push(`${name}: ${what}: ${answer.status} ${reply.slice(0, 200)}`);
    }
    expect(passed).toEqual([]);
    expect(visits - before).toBe(0);
  });

  it('[AT-M3B] attack: leaves state at the provider for another session to read', async () => {
    const session = await gateway.session({ models: REFS });
    const note = 'note-for-another-session';
    const kept = { store: true, metadata: { note }, user: note };
    for (const name of NAMES) {
      const answer = await session.call(pathOf(name), plain(name, kept));
      if (answer.status === 200)
        expect(provider.bodies.at(-1)).not.toMatch(/note-for|"store":true/);
      await answer.text();
    }
    const refused = [
      { background: true },
      { previous_response_id: 'resp_x' },
      { conversation: 'conv_x' },
    ];
    for (const body of refused)
      expect((await session.call('responses/responses', plain('responses', body))).status).toBe(
        400,
      );
  });
});
