import { shipError } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import type { KnownModel } from '../known-model.ts';
import { chat } from '../protocols/chat.ts';
import { messages } from '../protocols/messages.ts';
import type { JsonObject } from '../protocols/protocol.ts';
import { type CallEnd, boundOf, costOf, reservationOf } from './estimate.ts';
import { CallRateLimiter } from './call-rate-limiter.ts';
import { refuse } from './refusal.ts';
import { relay } from './relay.ts';
import { EventReader } from './sse.ts';

const MODEL: KnownModel = {
  modelId: 'm',
  name: 'm',
  contextTokens: 100_000,
  outputTokens: 1_000,
  price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, long: null },
  reasoning: false,
  images: false,
  tools: true,
};
const call = chat.prepare({ model: 'm' }, { askCost: false });

describe('reading events', () => {
  it('finds JSON in chunks of any size, with any line endings, and skips invalid events', () => {
    const text =
      ': comment\r\n\r\ndata: {"a":1}\r\n\r\nevent: x\ndata:{"a":2}\n\ndata: {"a":\n\ndata: [DONE]\n\ndata: {"a":3}';
    for (const size of [1, 2, 7, 1000]) {
      const seen: JsonObject[] = [];
      const reader = new EventReader((event) => seen.push(event));
      for (let at = 0; at < text.length; at += size) reader.push(text.slice(at, at + size));
      reader.end();
      expect(seen).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
    }
  });
});

describe('a response that is never read', () => {
  it.each(['before', 'after'])(
    '[BU5] is settled when its client disconnected %s it began',
    (when) => {
      const upstream = new AbortController();
      const ends: boolean[] = [];
      if (when === 'before') upstream.abort();
      const answer = new Response('data: {}\n\n', {
        headers: { 'content-type': 'text/event-stream' },
      });
      relay(answer, {
        meter: chat.meter(),
        secrets: [],
        idleMs: 1_000,
        maxDurationMs: 1_000,
        heartbeatMs: 1_000,
        truncatedEvent: '',
        abort: () => upstream.abort(),
        signal: upstream.signal,
        onEnd: async (isComplete) => void ends.push(isComplete),
      });
      upstream.abort();
      expect(ends).toEqual([false]);
    },
  );
});

const BOUND = { prompt: 5_000, answer: 1_000 };
const CHARGED = { bound: BOUND, model: MODEL, trustsReportedCost: false };
const COMPLETE: CallEnd = { isComplete: true, elapsedMs: 0, stopsWhenLeft: false };
const DISCONNECTED: CallEnd = { ...COMPLETE, isComplete: false };

describe('estimates', () => {
  it('[BU10] a call reserves its worst-case cost, and is charged that when its end is never reported', () => {
    expect(boundOf(call, 4_000, MODEL)).toEqual(BOUND);
    const { most, worst } = reservationOf(BOUND, MODEL);
    expect(most).toEqual({ tokens: 5_000 + 1_000, micros: 5_000 * 3.75 + 1_000 * 15 });
    expect(worst).toMatchObject({ isEstimate: true, costMicros: most.micros });
  });

  it('[MT4] an unknown price stays unknown: no cost, not zero', () => {
    const unknown = { ...MODEL, price: null };
    expect(reservationOf(BOUND, unknown).most.micros).toBeNull();
    const meter = chat.meter();
    meter.onBody({ usage: { prompt_tokens: 5, completion_tokens: 5 } });
    expect(costOf({ ...CHARGED, model: unknown }, meter, COMPLETE)).toMatchObject({
      costMicros: null,
      isEstimate: false,
    });
  });

  it('[MT2] a complete answer without usage counts by its bytes, marked as an estimate', () => {
    const meter = chat.meter();
    meter.onEvent({ choices: [{ delta: { content: `${'x'.repeat(38)}é` } }] });
    expect(costOf(CHARGED, meter, COMPLETE)).toMatchObject({
      usage: { inputTokens: 5_000, outputTokens: 40 },
      costMicros: 5_000 * 3.75 + 40 * 15,
      isEstimate: true,
    });
  });

  it('[BU10] a call that was cut off counts at its reservation, or by the time that the provider had', () => {
    const meter = chat.meter();
    expect(costOf(CHARGED, meter, DISCONNECTED).costMicros).toBe(
      reservationOf(BOUND, MODEL).most.micros,
    );
    const large = { ...CHARGED, bound: { ...BOUND, answer: 32_000 } };
    const left = { ...DISCONNECTED, stopsWhenLeft: true, elapsedMs: 500 };
    expect(costOf(large, meter, left).usage.outputTokens).toBe(2_500);
  });

  it('[BU10] reported prompt usage is used, and the answer still counts at its bound', () => {
    const meter = messages.meter();
    meter.onEvent({
      type: 'message_start',
      message: { usage: { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 1 } },
    });
    expect(costOf(CHARGED, meter, DISCONNECTED)).toMatchObject({
      usage: { inputTokens: 10, cacheReadTokens: 90, outputTokens: 1_000 },
      isEstimate: true,
    });
  });

  it('a reported cost is trusted only from providers that are known to report it', () => {
    const meter = chat.meter();
    meter.onBody({ usage: { prompt_tokens: 5, completion_tokens: 5, cost: 1 } });
    const trusted = { ...CHARGED, trustsReportedCost: true };
    expect(costOf(trusted, meter, COMPLETE).costMicros).toBe(1_000_000);
    expect(costOf(CHARGED, meter, COMPLETE).costMicros).toBe(90);
  });

  it('a request limit above the model’s own limit is not reserved', () => {
    const generous = chat.prepare({ model: 'm', max_tokens: 1_000_000 }, { askCost: false });
    expect(boundOf(generous, 0, MODEL).answer).toBe(1_000);
  });
});

describe('CallRateLimiter', () => {
  it('[GM7] a session that calls too fast gets a wait time; others do not', () => {
    const limiter = new CallRateLimiter();
    for (let i = 0; i < 60; i++) expect(limiter.take('a', 0)).toBe(0);
    expect(limiter.take('a', 0)).toBe(1);
    expect(limiter.take('b', 0)).toBe(0);
    expect(limiter.take('a', 500)).toBe(0);
    expect(limiter.take('a', 500)).toBe(1);
    for (let i = 0; i < 60; i++) expect(limiter.take('a', 600_000)).toBe(0);
    expect(limiter.take('a', 600_000)).toBe(1);
  });
});

describe('refusals for agents', () => {
  it('[GM9] contain no number that could be read as a status when only a person can help', async () => {
    const final = shipError(
      'budget-exhausted',
      'Spent: 40500 of 40000 tokens, $500.00.',
      'Raise it.',
    );
    const { error } = await refuse(chat, final).json<{ error: { message: string } }>();
    expect(error.message).toBe('Spent: … of … tokens, …. Raise it.');
    const passing = shipError('rate-limited', 'Too fast: 120 a minute.', 'It is tried again.');
    expect(await refuse(chat, passing).text()).toContain('120 a minute');
  });
});
