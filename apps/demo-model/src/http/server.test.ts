import { afterEach, describe, expect, it, vi } from 'vitest';
import { FakeClock } from '../../test/fake-clock.ts';
import {
  type DemoModel,
  type DemoModelOptions,
  type LedgerReport,
  type ScriptFile,
  parseScript,
  startDemoModel,
} from '../index.ts';

let model: DemoModel;
afterEach(() => model?.close());

type Step = NonNullable<ScriptFile['rules'][number]['steps']>[number];

async function start(step: Step, options: DemoModelOptions = {}, script: Partial<ScriptFile> = {}) {
  const rules = [{ name: 'hello', when: { prompt: 'hello' }, steps: [step] }];
  model = await startDemoModel({
    script: parseScript({ name: 'test', otherwise: 'refuse', rules, ...script }),
    ...options,
  });
}

function* throwing(): Generator<never, never> {
  yield* [];
  throw new Error('oops');
}

const PATHS = {
  chat: '/chat/completions',
  messages: '/messages',
  responses: '/responses',
} as const;

function ask(
  protocol: keyof typeof PATHS = 'chat',
  changes: Record<string, unknown> = {},
  init: RequestInit = {},
): Promise<Response> {
  const messages = [{ role: 'user', content: 'hello' }];
  const body = {
    model: 'demo',
    max_tokens: 100,
    stream: true,
    ...(protocol === 'responses' ? { input: messages } : { messages }),
    ...changes,
  };
  return fetch(model.baseUrl + PATHS[protocol], {
    method: 'POST',
    body: JSON.stringify(body),
    ...init,
  });
}

async function ledger(path = '/demo/ledger'): Promise<LedgerReport> {
  const response = await fetch(new URL(path, model.baseUrl));
  return (await response.json()) as LedgerReport;
}

describe('the server', () => {
  it.each(['chat', 'messages', 'responses'] as const)(
    'answers %s, streamed and whole',
    async (protocol) => {
      await start({ say: 'Good day' });
      const streamed = await ask(protocol);
      expect(streamed.headers.get('content-type')).toContain('text/event-stream');
      expect(await streamed.text()).toContain(' day');
      expect(await (await ask(protocol, { stream: false })).text()).toContain('Good day');
      const { totals, entries } = await ledger();
      expect(totals).toMatchObject({ requests: 2, served: 2 });
      expect(entries[0]?.usage).toEqual(entries[1]?.usage);
    },
  );

  it('lists its models with size and price', async () => {
    await start({});
    const response = await fetch(`${model.baseUrl}/models`);
    const { data } = (await response.json()) as { data: { id: string }[] };
    expect(data.map((item) => item.id)).toEqual(['demo', 'demo-small']);
    expect(data[0]).toMatchObject({
      context_length: 128_000,
      usd_per_million_tokens: { input: 3 },
    });
  });

  it('keeps a ledger by session and clears it on request', async () => {
    await start({ say: 'x', usage: { inputTokens: 1000, outputTokens: 100 } });
    for (const session of ['a', 'a', 'b']) {
      await (
        await ask('chat', {}, { headers: { 'x-session-id': session, authorization: 'Bearer k' } })
      ).text();
    }
    const { totals, entries } = await ledger('/demo/ledger?session=a');
    expect(totals).toMatchObject({ served: 2, costPicoUsd: 9_000_000_000, costUsd: 0.009 });
    expect(entries[0]?.keySha256).toMatch(/^[0-9a-f]{12}$/);
    expect(JSON.stringify(entries)).not.toContain('Bearer');
    expect(model.served('a').totals).toEqual(totals);
    await fetch(new URL('/demo/ledger', model.baseUrl), { method: 'DELETE' });
    expect((await ledger()).totals.requests).toBe(0);
  });

  it('computes no cost when the price is unknown', async () => {
    await start({ say: 'x' }, {}, { models: [{ id: 'demo', price: null }] });
    await (await ask()).text();
    expect(model.served()).toMatchObject({
      entries: [{ costUsd: null, costPicoUsd: null }],
      totals: { unpricedRequests: 1, costUsd: 0 },
    });
  });

  it.each([
    ['chat', { error: { type: 'invalid_request_error', code: 'model_not_found' } }],
    ['responses', { error: { type: 'invalid_request_error', code: 'model_not_found' } }],
    ['messages', { type: 'error', error: { type: 'not_found_error' } }],
  ] as const)('refuses an unknown model in the shape of %s', async (protocol, body) => {
    await start({});
    const response = await ask(protocol, { model: 'other' });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject(body);
  });

  it('refuses invalid requests', async () => {
    await start({});
    expect((await ask('chat', { messages: 1 })).status).toBe(400);
    expect((await ask('chat', {}, { body: '{' })).status).toBe(400);
    expect((await fetch(`${model.baseUrl}/nothing`)).status).toBe(404);
    const unmatched = await ask('chat', { messages: [{ role: 'user', content: 'bye' }] });
    expect(await unmatched.text()).toContain('its rules: hello');
  });

  it('requires the configured key', async () => {
    await start({ say: 'x' }, { apiKey: 'right' });
    expect((await ask()).status).toBe(401);
    expect((await ask('chat', {}, { headers: { authorization: 'Bearer right' } })).status).toBe(
      200,
    );
    expect((await ask('messages', {}, { headers: { 'x-api-key': 'right' } })).status).toBe(200);
  });

  it('survives a script that throws', async () => {
    await start({}, {}, { rules: [{ name: 'bad', run: throwing }] });
    expect(await (await ask()).text()).toContain('The script failed: oops');
    expect((await fetch(`${model.baseUrl}/models`)).status).toBe(200);
  });

  it('refuses conversations that exceed the context', async () => {
    await start({ say: 'x' }, {}, { models: [{ id: 'demo', contextTokens: 10, price: null }] });
    const messages = [{ role: 'user', content: 'hello'.repeat(99) }];
    expect(await (await ask('chat', { messages })).json()).toMatchObject({
      error: { code: 'context_length_exceeded', message: expect.stringContaining('too long') },
    });
  });

  it('listens on loopback only', async () => {
    await expect(startDemoModel({ host: '0.0.0.0' })).rejects.toThrow('loopback only');
  });
});

describe('faults on the wire', () => {
  it('occur `times` times, in order, then the step is answered', async () => {
    await start({
      say: 'x',
      faults: [
        { kind: 'rate-limit', retryAfterSec: 7200, times: 2 },
        { kind: 'server-error', times: 1 },
      ],
    });
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 5; attempt++) {
      const response = await ask();
      statuses.push(response.status);
      if (attempt === 0) expect(response.headers.get('retry-after')).toBe('7200');
      await response.text();
    }
    expect(statuses).toEqual([429, 429, 500, 200, 200]);
  });

  it('break an answer after the given number of fragments', async () => {
    await start({
      say: 'one two three four',
      faults: [{ kind: 'malformed-json', afterFragments: 2 }],
    });
    const text = await (await ask()).text();
    expect(text).toContain('"content":" two"');
    expect(text).not.toContain('three');
    expect(model.served().entries[0]).toMatchObject({
      outcome: 'broken',
      writtenFragments: 2,
      costUsd: 0,
    });
  });

  it('close the connection, also for a whole body and for a shorter answer', async () => {
    await start({ say: 'one', faults: [{ kind: 'cut-stream', afterFragments: 50 }] });
    await expect(ask().then((response) => response.text())).rejects.toThrow();
    await expect(
      ask('chat', { stream: false }).then((response) => response.text()),
    ).rejects.toThrow();
    expect(model.served().totals.served).toBe(0);
  });

  it('close the connection only after the client received the earlier fragments', async () => {
    await start({ say: 'one two three', faults: [{ kind: 'cut-stream', afterFragments: 2 }] });
    for (let attempt = 0; attempt < 20; attempt += 1) {
      let text = '';
      const decoder = new TextDecoder();
      const read = async () => {
        for await (const chunk of (await ask()).body ?? [])
          text += decoder.decode(chunk, { stream: true });
      };
      await expect(read()).rejects.toThrow();
      expect(text).toContain('"content":" two"');
      expect(text).not.toContain('three');
    }
  });

  it('hang until the client disconnects, and detect it', async () => {
    await start({ say: 'one two', faults: [{ kind: 'hang-mid-stream', afterFragments: 1 }] });
    const leaving = new AbortController();
    const response = await ask('chat', {}, { signal: leaving.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    leaving.abort();
    await vi.waitFor(() => expect(model.served().entries[0]?.outcome).toBe('aborted'), {
      timeout: 20_000,
    });
  });

  it('do not prevent the server from closing', async () => {
    await start({ faults: [{ kind: 'hang-before-headers' }] });
    const pending = ask().catch((error: unknown) => error);
    await vi.waitFor(() => expect(model.served().entries).toHaveLength(1), { timeout: 20_000 });
    await model.close();
    expect(await pending).toBeInstanceOf(Error);
  });

  it('empty an answer, and truncate the arguments of a call', async () => {
    const calls = [{ tool: 'read', input: { filePath: '/repo/README.md' } }];
    await start({
      say: 'x',
      calls,
      faults: [{ kind: 'empty-answer', times: 1 }, { kind: 'bad-tool-json' }],
    });
    type Body = {
      choices: {
        message: { content: string; tool_calls?: { function: { arguments: string } }[] };
      }[];
    };
    const empty = (await (await ask('chat', { stream: false })).json()) as Body;
    expect(empty.choices[0]?.message).toEqual({ role: 'assistant', content: '' });
    const broken = (await (await ask('chat', { stream: false })).json()) as Body;
    const text = broken.choices[0]?.message.tool_calls?.[0]?.function.arguments ?? '';
    expect(() => JSON.parse(text)).toThrow();
  });
});

describe('timing', () => {
  it('has no delay by default', async () => {
    const clock = new FakeClock();
    await start({ say: 'one two three' }, { clock });
    await (await ask()).text();
    expect(clock.slept).toEqual([]);
  });

  it('comes from the step, the rule or the script, in this order', async () => {
    const clock = new FakeClock();
    await start(
      { say: 'one two', timing: { tokensPerSecond: 10 } },
      { clock },
      { timing: { firstTokenMs: 250, tokensPerSecond: 1 } },
    );
    await (await ask()).text();
    expect(clock.slept).toEqual([250, 100, 100]);
    expect(model.served().entries[0]?.durationMs).toBe(450);
  });

  it('drips slowly', async () => {
    const clock = new FakeClock();
    await start({ say: 'one two', faults: [{ kind: 'slow-drip', everyMs: 1000 }] }, { clock });
    await (await ask()).text();
    expect(clock.slept).toEqual([1000, 1000]);
    expect(model.served().entries[0]?.outcome).toBe('served');
  });

  it('pauses and continues', async () => {
    const clock = new FakeClock();
    await start(
      { say: 'one two', faults: [{ kind: 'hang-mid-stream', afterFragments: 1, forMs: 5000 }] },
      { clock },
    );
    expect(await (await ask()).text()).toContain('[DONE]');
    expect(clock.slept).toEqual([5000]);
  });
});
