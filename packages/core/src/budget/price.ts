import type { ModelPrice } from '@ship/protocol';
import { type TokenUsage, answerTokens, promptTokens } from './usage.ts';

/** One dollar for a million tokens is a million pico-dollars for one token: whole numbers, so sums do not drift. */
const PICO_USD_PER_TOKEN = 1_000_000;
const PICO_USD_PER_MICRO = 1_000_000;

/** Whole micro-dollars (millionths of a dollar), rounded to the nearest. Null when the price is unknown. */
export function costMicros(usage: TokenUsage, price: ModelPrice | null): number | null {
  if (price === null) return null;
  const { long } = price;
  const rates = long !== null && promptTokens(usage) > long.aboveTokens ? long : price;
  const pico =
    usage.inputTokens * picoPerToken(rates.input) +
    usage.cacheReadTokens * picoPerToken(rates.cacheRead) +
    usage.cacheWriteTokens * picoPerToken(rates.cacheWrite) +
    answerTokens(usage) * picoPerToken(rates.output);
  return Math.round(pico / PICO_USD_PER_MICRO);
}

function picoPerToken(usdPerMillion: number): number {
  return Math.round(usdPerMillion * PICO_USD_PER_TOKEN);
}

/** The maximum cost of so many tokens, with or without hits in the provider's cache. */
export function mostMicros(
  tokens: { prompt: number; answer: number },
  price: ModelPrice | null,
): number | null {
  if (price === null) return null;
  const { long } = price;
  const rates = long !== null && tokens.prompt > long.aboveTokens ? long : price;
  const dearest = Math.max(rates.input, rates.cacheRead, rates.cacheWrite);
  const pico = tokens.prompt * picoPerToken(dearest) + tokens.answer * picoPerToken(rates.output);
  return Math.ceil(pico / PICO_USD_PER_MICRO);
}
