/** Tokens by how they are billed; the classes do not overlap. */
export interface TokenUsage {
  inputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  outputTokens: number;
  reasoningTokens: number;
}

export const NO_TOKENS: TokenUsage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
};

/** All input tokens, from a cache or not. */
export function promptTokens(usage: TokenUsage): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

/** All output tokens, thinking included. */
export function answerTokens(usage: TokenUsage): number {
  return usage.outputTokens + usage.reasoningTokens;
}

export function totalTokens(usage: TokenUsage): number {
  return promptTokens(usage) + answerTokens(usage);
}
