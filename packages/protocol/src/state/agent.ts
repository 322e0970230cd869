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
/** Zero in states from before it was counted. */
const recorded = Recorded.default({ events: 0, bytes: 0, artifacts: 0, artifactBytes: 0 });

/** What was used so far. `costUsd` is of the priced steps: with `unpricedSteps` it is a lower bound. */
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

/** The newest turn as the agent sees it. What the limits are judged by is here, so that it survives a restart. */
export const AgentTurn = z.object({
  turnId: TurnId,
  promptId: PromptId.nullable().default(null),
  attempt: z.int().min(1),
  /** The newest attempt that finished a step; 0 before the first one. */
  progressedAttempt: count,
  messageId: z.string(),
  mode: AgentMode,
  /** Where its first event is in the log. */
  sinceSeq: count,
  promptedAt: count,
  /** Time that was spent waiting for a person: no limit counts it. */
  waitedMs: count,
  waitingSince: count.nullable(),
  step: count,
  maxSteps: z.int().min(1),
  /** Whether the newest step wants another one. */
  isStepOpen: z.boolean(),
  lastProgressAt: count,
  runningTools: z.array(RunningTool),
  subagents: z.array(Subagent),
  /** Failures in a row, by tool. */
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
  /** A person's answer that the agent does not have yet. */
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
  /** The agent's own conversation; null before the first turn. */
  agentSessionId: z.string().nullable(),
  mode: AgentMode,
  turn: AgentTurn.nullable(),
  todos: z.array(Todo),
  questions: z.array(OpenQuestion),
  permissions: z.array(OpenPermission),
  /** A plan that waits for a person's word. */
  plan: z.object({ planId: z.string(), text: z.string(), proposedAt: count }).nullable(),
  /** Why the newest turn was ended by a limit; null once a new one begins. */
  pause: Paused.nullable(),
  /** Of all turns. */
  usage: AgentUsage,
  /** Of all turns. */
  recorded,
  lastActivityAt: count,
});
export type AgentState = z.infer<typeof AgentState>;
