import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversation, user } from '../../test/conversation.ts';
import type { Message } from '../conversation.ts';
import { NO_USAGE } from './ledger.ts';
import { costPicoUsd, toUsd } from './price.ts';
import { countTokens, measureUsage, promptTokens } from './tokens.ts';

const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const sum = (values: number[]): number => values.reduce((a, b) => a + b, 0);
const nothing = { reasoning: '', text: '', calls: [] };

describe('cost', () => {
  it('is the price of each class of tokens, reasoning as output', () => {
    const usage = {
      inputTokens: 1000,
      cacheReadTokens: 10_000,
      cacheWriteTokens: 200,
      outputTokens: 100,
      reasoningTokens: 50,
    };
    // 0.003 + 0.003 + 0.00075 + 0.00225
    expect(costPicoUsd(usage, price)).toBe(9_000_000_000);
    expect(toUsd(costPicoUsd(usage, price))).toBe(0.009);
  });

  it('adds up exactly, in any order', () => {
    const tokens = fc.nat({ max: 1_000_000 });
    const usages = fc.array(
      fc.record({
        inputTokens: tokens,
        outputTokens: tokens,
        cacheReadTokens: tokens,
        cacheWriteTokens: tokens,
        reasoningTokens: tokens,
      }),
      { maxLength: 50 },
    );
    fc.assert(
      fc.property(usages, (all) => {
        const costs = all.map((usage) => costPicoUsd(usage, price));
        expect(costs.every(Number.isSafeInteger)).toBe(true);
        expect(sum(costs)).toBe(sum(costs.toReversed()));
      }),
    );
  });

  it('of nothing is nothing', () => expect(costPicoUsd(NO_USAGE, price)).toBe(0));
});

describe('tokens', () => {
  it('are a quarter of the bytes, rounded up', () => {
    expect(['', 'a', 'abcd', 'abcde', '😀', 'üü'].map(countTokens)).toEqual([0, 1, 1, 2, 1, 1]);
  });

  const long: Message[] = [
    user('x'.repeat(8000)),
    { role: 'assistant', text: 'ok', reasoning: '', calls: [] },
    user('next'),
  ];

  it('of the previous request are read from the cache, in whole blocks', () => {
    const second = conversation(long);
    const { inputTokens, cacheReadTokens, cacheWriteTokens } = measureUsage(second, nothing);
    expect(cacheReadTokens).toBe(Math.floor(promptTokens(second, long.slice(0, 1)) / 128) * 128);
    expect(cacheReadTokens).toBeGreaterThan(1900);
    expect(cacheWriteTokens).toBe(0);
    expect(inputTokens + cacheReadTokens).toBe(promptTokens(second));
  });

  it('are written to the cache when the client marks a prefix, and always add up', () => {
    const first = conversation(long.slice(0, 1), { writesCache: true });
    const usage = measureUsage(first, nothing);
    expect(usage.cacheReadTokens).toBe(0);
    expect(usage.cacheWriteTokens % 128).toBe(0);
    expect(usage.inputTokens + usage.cacheWriteTokens).toBe(promptTokens(first));
  });

  it('of a short conversation are not cached', () => {
    const short = conversation([
      user('a'),
      { role: 'assistant', text: 'b', reasoning: '', calls: [] },
      user('c'),
    ]);
    expect(measureUsage(short, nothing).cacheReadTokens).toBe(0);
  });
});
