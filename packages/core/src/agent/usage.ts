import type { AgentUsage, TokenCounts } from '@ship/protocol';

/** Adds one step. A step without a known price adds its tokens and is counted apart: a guess would be taken for a fact. */
export function addStep(
  usage: AgentUsage,
  { tokens, costUsd }: { tokens: TokenCounts; costUsd: number | null },
): AgentUsage {
  return {
    costUsd: usage.costUsd + (costUsd ?? 0),
    unpricedSteps: usage.unpricedSteps + (costUsd === null ? 1 : 0),
    steps: usage.steps + 1,
    tokens: {
      input: usage.tokens.input + tokens.input,
      output: usage.tokens.output + tokens.output,
      reasoning: usage.tokens.reasoning + tokens.reasoning,
      cacheRead: usage.tokens.cacheRead + tokens.cacheRead,
      cacheWrite: usage.tokens.cacheWrite + tokens.cacheWrite,
    },
  };
}
