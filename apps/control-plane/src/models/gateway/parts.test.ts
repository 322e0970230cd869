import { shipError } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import type { KnownModel } from '../known-model.ts';
import { chat } from '../protocols/chat.ts';
import type { JsonObject } from '../protocols/protocol.ts';
import { costOf, estimateCall, promptChars } from './estimate.ts';
import { Pace } from './pace.ts';
import { refuse } from './refusal.ts';
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

describe('estimates', () => {
  it('[MT2] a call reserves what it can cost at worst, and counts as less when nobody says how it ended', () => {
    const { most, likely } = estimateCall(call, 4_000, MODEL);
    expect(most).toEqual({ tokens: 3_000 + 1_000, micros: 3_000 * 3.75 + 1_000 * 15 });
    expect(likely).toMatchObject({ isEstimate: true, costMicros: 1_000 * 3 + 1_000 * 15 });
  });

  it('[MT4] an unknown price stays unknown: no cost, not zero', () => {
    const unknown = { ...MODEL, price: null };
    expect(estimateCall(call, 4_000, unknown).most.micros).toBeNull();
    const meter = chat.meter();
    meter.onBody({ usage: { prompt_tokens: 5, completion_tokens: 5 } });
    expect(costOf(meter, 10, unknown, false)).toMatchObject({
      costMicros: null,
      isEstimate: false,
    });
  });

  it('[MT2] without usage what went over the wire counts, marked as an estimate', () => {
    const meter = chat.meter();
    meter.onEvent({ choices: [{ delta: { content: 'x'.repeat(40) } }] });
    expect(costOf(meter, 400, MODEL, false)).toMatchObject({
      usage: { inputTokens: 100, outputTokens: 10 },
      costMicros: 450,
      isEstimate: true,
    });
  });

  it('what the provider says that it cost is believed only of those that are known to say so', () => {
    const meter = chat.meter();
    meter.onBody({ usage: { prompt_tokens: 5, completion_tokens: 5, cost: 1 } });
    expect(costOf(meter, 10, MODEL, true).costMicros).toBe(1_000_000);
    expect(costOf(meter, 10, MODEL, false).costMicros).toBe(90);
  });

  it('a picture counts as a picture, not as text', () => {
    expect(
      promptChars(JSON.stringify({ url: `data:image/png;base64,${'Ab1+'.repeat(500_000)}` })),
    ).toBeLessThan(9_000);
    expect(promptChars('plain words '.repeat(1_000))).toBe(12_000);
    const [short, just, long] = [7_999, 8_000, 8_100].map((length) => 'a'.repeat(length));
    expect(promptChars(`${short} ${just} ${long}`)).toBe(7_999 + 8_000 + 8_000 + 2);
    expect(promptChars(`"${long}"${long}"`)).toBe(16_003);
  });

  it('[MT5] a text made to be slow to read is read at once', () => {
    const text = `${'a'.repeat(7_999)} `.repeat(1_000);
    const startMs = performance.now();
    expect(promptChars(text)).toBe(8_000_000);
    // Searched from every place it takes ten minutes.
    expect(performance.now() - startMs).toBeLessThan(20_000);
  });

  it('what a request allows beyond the model’s own limit is not reserved', () => {
    const generous = chat.prepare({ model: 'm', max_tokens: 1_000_000 }, { askCost: false });
    expect(estimateCall(generous, 0, MODEL).most.tokens).toBe(2_000);
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
