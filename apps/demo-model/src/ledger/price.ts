/** Costs in whole pico-dollars (10⁻¹² USD): sums of floats differ in the last digit, sums of integers do not. */
import type { Usage } from '../answer.ts';

/** USD per million tokens, as providers publish prices; reasoning is billed as output. */
export interface Price {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

const PICO_USD = 1_000_000_000_000;
const TOKENS_PER_PRICE = 1_000_000;

/** 3 USD per million tokens are 3,000,000 pico-dollars per token. */
function picoUsdPerToken(usdPerMillion: number): number {
  return Math.round(usdPerMillion * (PICO_USD / TOKENS_PER_PRICE));
}

export function costPicoUsd(usage: Usage, price: Price): number {
  return (
    usage.inputTokens * picoUsdPerToken(price.input) +
    usage.cacheReadTokens * picoUsdPerToken(price.cacheRead) +
    usage.cacheWriteTokens * picoUsdPerToken(price.cacheWrite) +
    (usage.outputTokens + usage.reasoningTokens) * picoUsdPerToken(price.output)
  );
}

export function toUsd(picoUsd: number): number {
  return picoUsd / PICO_USD;
}
