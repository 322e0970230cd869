import type { AgentUsage, TokenCounts } from '@ship/protocol';

interface Used {
  tokens: TokenCounts;
  costUsd: number | null;
}

/** Adds one step. A step without a known price adds its tokens and counts as unpriced: a guessed cost would look like a fact. */
export function addStep(usage: AgentUsage, used: Used): AgentUsage {
  return { ...addCall(usage, used), steps: usage.steps + 1 };
}

/** Adds a call that is not a step of the agent's work. */
export function addCall(usage: AgentUsage, { tokens, costUsd }: Used): AgentUsage {
  return {
    costUsd: usage.costUsd + (costUsd ?? 0),
    unpricedSteps: usage.unpricedSteps + (costUsd === null ? 1 : 0),
    steps: usage.steps,
    tokens: {
      input: usage.tokens.input + tokens.input,
      output: usage.tokens.output + tokens.output,
      reasoning: usage.tokens.reasoning + tokens.reasoning,
      cacheRead: usage.tokens.cacheRead + tokens.cacheRead,
      cacheWrite: usage.tokens.cacheWrite + tokens.cacheWrite,
    },
  };
}
