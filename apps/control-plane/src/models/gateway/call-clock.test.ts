import { afterEach, describe, expect, it, vi } from 'vitest';
import type { KnownModel } from '../known-model.ts';
import { chat } from '../protocols/chat.ts';
import { type Provider, stopsWhenLeft } from '../providers/provider.ts';
import { NO_COST } from './estimate.ts';
import { CallClock } from './open-call.ts';
import { requestHeaders } from './upstream-headers.ts';

const MODEL: KnownModel = {
  modelId: 'm',
  name: 'm',
  contextTokens: null,
  outputTokens: 32_000,
  price: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1, long: null },
  reasoning: false,
  images: false,
  tools: true,
};

const providerAt = (baseUrl: string, isDemo = false): Provider => ({
  info: {
    providerId: 'p',
    name: 'P',
    protocol: 'openai-chat',
    baseUrl,
    hasKey: false,
    headerNames: [],
    models: {},
    source: 'workspace',
    isDemo,
  },
  key: null,
  headers: {},
  isUnreadable: false,
  offers: 'all',
  reportsCost: false,
});

const OPENAI = providerAt('https://api.openai.com/v1');
const OTHER = providerAt('https://models.example/v1');

function clock(provider: Provider, isStream = true): CallClock {
  vi.useFakeTimers();
  return new CallClock({
    callId: 'c',
    provider,
    protocol: chat,
    model: MODEL,
    body: new Uint8Array(),
    isStream,
    bound: { prompt: 1_000, answer: 32_000 },
    budget: { reserve: () => Promise.reject(new Error()), settle: () => Promise.resolve() },
  });
}

afterEach(() => {
  vi.useRealTimers();
});

describe('the cost of an unanswered call', () => {
  it('[BU10] is zero when it could not be sent, and its bound when the connection was lost later', () => {
    const call = clock(OTHER);
    expect(call.unanswered(false)).toEqual(NO_COST);
    vi.advanceTimersByTime(5_000);
    expect(call.unanswered(false).costMicros).toBe(33_000);
  });

  it('[BU10] is its bound when the client disconnected, however soon', () => {
    expect(clock(OTHER).unanswered(true).costMicros).toBe(33_000);
  });

  it('[BU10] follows the elapsed time where streams end with their connection', () => {
    const call = clock(OPENAI);
    vi.advanceTimersByTime(1_000);
    expect(call.unanswered(true).costMicros).toBe(1_000 + 3_000);
    expect(clock(OPENAI, false).unanswered(true).costMicros).toBe(33_000);
  });

  it('[BU10] is zero when it was refused; a proxy timeout is not a refusal', () => {
    const call = clock(OTHER);
    expect([400, 401, 429, 500, 503].map((status) => call.refused(status))).toEqual(
      Array.from({ length: 5 }, () => NO_COST),
    );
    for (const status of [408, 504, 524]) expect(call.refused(status).costMicros).toBe(33_000);
  });
});

describe('a provider', () => {
  it('[BU10] is trusted to stop only when it is known to', () => {
    const demo = providerAt('http://127.0.0.1:1/v1', true);
    const alike = providerAt('https://api.openai.com.example/v1');
    expect([OPENAI, demo, OTHER, alike].map(stopsWhenLeft)).toEqual([true, true, false, false]);
  });

  it('[GM13] gets no beta that extends what a request can do', () => {
    const betas = 'interleaved-thinking-2025-05-14, files-api-2025-04-14,context-1m-2025-08-07';
    const request = new Request('http://any', {
      headers: { 'anthropic-beta': betas, 'openai-beta': 'x', cookie: 'a=b' },
    });
    expect(Object.fromEntries(requestHeaders(OTHER, request))).toEqual({
      'content-type': 'application/json',
      'anthropic-beta': 'interleaved-thinking-2025-05-14',
    });
  });
});
