import { shipError } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import type { KnownModel } from '../known-model.ts';
import { chat } from '../protocols/chat.ts';
import { messages } from '../protocols/messages.ts';
import type { JsonObject } from '../protocols/protocol.ts';
import { type CallEnd, boundOf, costOf, reservationOf } from './estimate.ts';
import { Pace } from './pace.ts';
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
  it('finds JSON in pieces of any size, with any line ends, and skips what is broken', () => {
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

describe('an answer that is never read', () => {
  it.each(['before', 'after'])('[BU5] is settled when its client left %s it began', (when) => {
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
      lastsMs: 1_000,
      heartbeatMs: 1_000,
      brokenEvent: '',
      abort: () => upstream.abort(),
      signal: upstream.signal,
      onEnd: async (isComplete) => void ends.push(isComplete),
    });
    upstream.abort();
    expect(ends).toEqual([false]);
  });
});

const BOUND = { prompt: 5_000, answer: 1_000 };
const CHARGED = { bound: BOUND, model: MODEL, trustsReportedCost: false };
const COMPLETE: CallEnd = { isComplete: true, elapsedMs: 0, stopsWhenLeft: false };
const LEFT: CallEnd = { ...COMPLETE, isComplete: false };

describe('estimates', () => {
  it('[BU10] a call reserves what it can cost at worst, and counts as that when nobody says how it ended', () => {
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

  it('[MT2] a whole answer without usage counts at its bytes, marked as an estimate', () => {
    const meter = chat.meter();
    meter.onEvent({ choices: [{ delta: { content: `${'x'.repeat(38)}é` } }] });
    expect(costOf(CHARGED, meter, COMPLETE)).toMatchObject({
      usage: { inputTokens: 5_000, outputTokens: 40 },
      costMicros: 5_000 * 3.75 + 40 * 15,
      isEstimate: true,
    });
  });

  it('[BU10] a call that broke off counts at its reservation, or at the time that the provider had', () => {
    const meter = chat.meter();
    expect(costOf(CHARGED, meter, LEFT).costMicros).toBe(reservationOf(BOUND, MODEL).most.micros);
    const large = { ...CHARGED, bound: { ...BOUND, answer: 32_000 } };
    const left = { ...LEFT, stopsWhenLeft: true, elapsedMs: 500 };
    expect(costOf(large, meter, left).usage.outputTokens).toBe(2_500);
  });

  it('[BU10] what the provider said of the prompt is taken, and the answer still counts at its bound', () => {
    const meter = messages.meter();
    meter.onEvent({
      type: 'message_start',
      message: { usage: { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 1 } },
    });
    expect(costOf(CHARGED, meter, LEFT)).toMatchObject({
      usage: { inputTokens: 10, cacheReadTokens: 90, outputTokens: 1_000 },
      isEstimate: true,
    });
  });

  it('what the provider says that it cost is believed only of those that are known to say so', () => {
    const meter = chat.meter();
    meter.onBody({ usage: { prompt_tokens: 5, completion_tokens: 5, cost: 1 } });
    const trusted = { ...CHARGED, trustsReportedCost: true };
    expect(costOf(trusted, meter, COMPLETE).costMicros).toBe(1_000_000);
    expect(costOf(CHARGED, meter, COMPLETE).costMicros).toBe(90);
  });

  it('what a request allows beyond the model’s own limit is not reserved', () => {
    const generous = chat.prepare({ model: 'm', max_tokens: 1_000_000 }, { askCost: false });
    expect(boundOf(generous, 0, MODEL).answer).toBe(1_000);
  });
});

describe('pace', () => {
  it('[GM7] a session that calls too fast is told how long to wait; others are not', () => {
    const pace = new Pace();
    for (let i = 0; i < 60; i++) expect(pace.take('a', 0)).toBe(0);
    expect(pace.take('a', 0)).toBe(1);
    expect(pace.take('b', 0)).toBe(0);
    expect(pace.take('a', 500)).toBe(0);
    expect(pace.take('a', 500)).toBe(1);
    for (let i = 0; i < 60; i++) expect(pace.take('a', 600_000)).toBe(0);
    expect(pace.take('a', 600_000)).toBe(1);
  });
});

describe('what an agent is told', () => {
  it('[GM9] has no number that it could take for a status when only a person can help', async () => {
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
