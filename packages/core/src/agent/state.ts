import type { AgentState, AgentUsage } from '@ship/protocol';
import { NOTHING_RECORDED } from './recording.ts';

export const NO_USAGE: AgentUsage = {
  costUsd: 0,
  unpricedSteps: 0,
  steps: 0,
  tokens: { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
};

export const INITIAL_AGENT: AgentState = {
  agentSessionId: null,
  mode: 'build',
  turn: null,
  todos: [],
  questions: [],
  permissions: [],
  plan: null,
  pause: null,
  usage: NO_USAGE,
  recorded: NOTHING_RECORDED,
  lastActivityAt: 0,
};

/** Maximum number of entries per list: the state must not grow with the log. */
export const MAX_REMEMBERED = {
  asks: 20,
  runningTools: 30,
  subagents: 20,
  failingTools: 20,
  recentCalls: 12,
} as const;

/** The agent's phase as lists and the board show it. */
export type AgentPhase =
  | 'idle'
  | 'planning'
  | 'executing'
  | 'waiting-for-answer'
  | 'waiting-for-plan'
  | 'waiting-for-provider'
  | 'stuck';

export function phaseOf({ turn, questions, permissions, plan, pause }: AgentState): AgentPhase {
  if (turn !== null && !turn.isOver) {
    const open = [...questions, ...permissions].some(({ answer }) => answer === null);
    if (open) return 'waiting-for-answer';
    if (turn.provider !== null) return 'waiting-for-provider';
    return turn.mode === 'plan' ? 'planning' : 'executing';
  }
  if (pause !== null) return 'stuck';
  return plan === null ? 'idle' : 'waiting-for-plan';
}
