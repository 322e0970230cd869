import * as z from 'zod';
import {
  AgentMode,
  PermissionReply,
  Question,
  QuestionAnswers,
  Todo,
  TokenCounts,
} from '../events/agent-events.ts';
import { Recorded } from '../events/recording-events.ts';
import { PromptId, TurnId } from '../ids.ts';
import { Paused } from '../turn-outcome.ts';

const count = z.int().nonnegative();
/** Zero in older states. */
const recorded = Recorded.default({ events: 0, bytes: 0, artifacts: 0, artifactBytes: 0 });

/** Usage so far. `costUsd` covers the priced steps: with `unpricedSteps` it is a lower bound. */
export const AgentUsage = z.object({
  costUsd: z.number().nonnegative(),
  unpricedSteps: count,
  steps: count,
  tokens: TokenCounts,
});
export type AgentUsage = z.infer<typeof AgentUsage>;

export const RunningTool = z.object({
  partId: z.string(),
  tool: z.string(),
  title: z.string(),
  startedAt: count,
});
export type RunningTool = z.infer<typeof RunningTool>;

export const Subagent = z.object({
  subagentId: z.string(),
  title: z.string(),
  steps: count,
  isRunning: z.boolean(),
});
export type Subagent = z.infer<typeof Subagent>;

/** The agent's view of the newest turn. It contains the inputs of all limits, so that they survive a restart. */
export const AgentTurn = z.object({
  turnId: TurnId,
  promptId: PromptId.nullable().default(null),
  attempt: z.int().min(1),
  /** The newest attempt that finished a step; 0 before the first one. */
  progressedAttempt: count,
  messageId: z.string(),
  mode: AgentMode,
  /** The seq of its first event. */
  sinceSeq: count,
  promptedAt: count,
  /** Time spent waiting for a person, which no limit counts. */
  waitedMs: count,
  waitingSince: count.nullable(),
  step: count,
  maxSteps: z.int().min(1),
  /** Whether the newest step wants another one. */
  isStepOpen: z.boolean(),
  lastProgressAt: count,
  runningTools: z.array(RunningTool),
  subagents: z.array(Subagent),
  /** Consecutive failures by tool. */
  failures: z.array(z.object({ tool: z.string(), times: z.int().min(1) })),
  /** The newest calls with their results, oldest first. */
  recentCalls: z.array(z.object({ tool: z.string(), hash: z.string() })),
  provider: z.object({ attempt: count, nextAttemptAt: count }).nullable(),
  usage: AgentUsage,
  recorded,
  isOver: z.boolean(),
});
export type AgentTurn = z.infer<typeof AgentTurn>;

export const OpenQuestion = z.object({
  requestId: z.string(),
  askedAt: count,
  questions: z.array(Question),
  /** A person's answer that was not delivered to the agent yet. */
  answer: z.object({ answers: QuestionAnswers.nullable() }).nullable(),
});
export type OpenQuestion = z.infer<typeof OpenQuestion>;

export const OpenPermission = z.object({
  requestId: z.string(),
  askedAt: count,
  permission: z.string(),
  patterns: z.array(z.string()),
  answer: z.object({ reply: PermissionReply, message: z.string().nullable() }).nullable(),
});
export type OpenPermission = z.infer<typeof OpenPermission>;

export const AgentState = z.object({
  /** The agent's conversation; null before the first turn. */
  agentSessionId: z.string().nullable(),
  mode: AgentMode,
  turn: AgentTurn.nullable(),
  todos: z.array(Todo),
  questions: z.array(OpenQuestion),
  permissions: z.array(OpenPermission),
  /** A plan that waits for a person's decision. */
  plan: z.object({ planId: z.string(), text: z.string(), proposedAt: count }).nullable(),
  /** The limit that ended the newest turn; null once a new one starts. */
  pause: Paused.nullable(),
  /** Total of all turns. */
  usage: AgentUsage,
  /** Total of all turns. */
  recorded,
  lastActivityAt: count,
});
export type AgentState = z.infer<typeof AgentState>;
