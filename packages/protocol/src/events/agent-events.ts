import * as z from 'zod';
import { PromptId, TurnId } from '../ids.ts';

const count = z.int().nonnegative();
/** Ids that the agent chooses; opaque to Ship. */
const AgentRef = z.string().min(1).max(200);

/** The largest text in an event. A longer text is stored as an artifact and linked. */
export const MAX_INLINE_BYTES = 100_000;
const inlineText = z.string().max(MAX_INLINE_BYTES);

/** Link to the whole of a long text; null when the event contains all of it. */
const ArtifactLink = z.string().max(2000).nullable();

/** `build` changes files; `plan` only reads and proposes. */
export const AgentMode = z.enum(['build', 'plan']);
export type AgentMode = z.infer<typeof AgentMode>;

/** `subagentId` is null for the agent itself. */
const inTurn = { turnId: TurnId, subagentId: AgentRef.nullable() };

export const Todo = z.object({
  content: z.string().max(500),
  status: z.enum(['pending', 'in-progress', 'completed', 'cancelled']),
  priority: z.enum(['high', 'medium', 'low']),
});
export type Todo = z.infer<typeof Todo>;

export const Question = z.object({
  question: z.string().max(2000),
  header: z.string().max(200),
  options: z
    .array(z.object({ label: z.string().max(200), description: z.string().max(1000) }))
    .max(20),
  allowsSeveral: z.boolean(),
  /** Whether an answer may differ from the options. */
  allowsOther: z.boolean(),
});
export type Question = z.infer<typeof Question>;

/** One list of chosen labels or free text for each question, in order. */
export const QuestionAnswers = z.array(z.array(z.string().max(2000)).max(20)).max(10);
export type QuestionAnswers = z.infer<typeof QuestionAnswers>;

export const PermissionReply = z.enum(['once', 'always', 'reject']);
export type PermissionReply = z.infer<typeof PermissionReply>;

export const PlanDecision = z.enum(['approve', 'edit', 'reject']);
export type PlanDecision = z.infer<typeof PlanDecision>;

export const TokenCounts = z.object({
  input: count,
  output: count,
  reasoning: count,
  cacheRead: count,
  cacheWrite: count,
});
export type TokenCounts = z.infer<typeof TokenCounts>;

/**
 * Why the agent waits for its model, for display only. `kind` uses the names of the error codes; a newer server's kind parses as
 * `unknown`. `message` is the provider's text, on one line and without secrets.
 */
export const ProviderRetryReason = z.object({
  kind: z
    .enum(['rate-limited', 'unavailable', 'unreachable', 'timed-out', 'unknown'])
    .catch('unknown'),
  message: z.string().max(300),
});
export type ProviderRetryReason = z.infer<typeof ProviderRetryReason>;

/** `refused`: a person or a rule denied the call. `interrupted`: the agent ended before the tool did. */
export const ToolStatus = z.enum(['completed', 'failed', 'refused', 'interrupted']);
export type ToolStatus = z.infer<typeof ToolStatus>;

export const FileEdit = z.object({
  path: z.string().max(1000),
  additions: count,
  deletions: count,
});
export type FileEdit = z.infer<typeof FileEdit>;

export const AGENT_EVENTS = {
  /** The agent's conversation, which every later turn continues. */
  'agent.session-opened': {
    version: 1,
    data: z.object({ agentSessionId: AgentRef, origin: z.enum(['new', 'restored']) }),
  },
  /** Stored before the prompt is sent: after a crash Ship looks for the message instead of sending it again. */
  'agent.prompted': {
    version: 1,
    data: z.object({
      turnId: TurnId,
      /** Null in older logs. */
      promptId: PromptId.nullable().default(null),
      attempt: z.int().min(1),
      messageId: AgentRef,
      mode: AgentMode,
      /** `continue` when an earlier attempt started the work, so that the agent knows the task. */
      kind: z.enum(['prompt', 'continue']),
      maxSteps: z.int().min(1),
    }),
  },
  'agent.mode-changed': { version: 1, data: z.object({ mode: AgentMode, by: z.string() }) },
  /** A finished text or reasoning part. `isPartial` when it was interrupted. */
  'text.finished': {
    version: 1,
    data: z.object({
      ...inTurn,
      partId: AgentRef,
      kind: z.enum(['text', 'reasoning']),
      text: inlineText,
      isPartial: z.boolean(),
      link: ArtifactLink,
    }),
  },
  'tool.started': {
    version: 1,
    data: z.object({
      ...inTurn,
      partId: AgentRef,
      tool: z.string().max(200),
      title: z.string().max(500),
      /** The arguments as JSON text, truncated when long. */
      input: z.string().max(20_000),
    }),
  },
  'tool.finished': {
    version: 1,
    data: z.object({
      ...inTurn,
      partId: AgentRef,
      tool: z.string().max(200),
      title: z.string().max(500),
      status: ToolStatus,
      output: inlineText,
      outputBytes: count,
      link: ArtifactLink,
      /** A command's exit code; null for other tools. */
      exitCode: z.int().nullable(),
      durationMs: count,
      edits: z.array(FileEdit).max(100),
      diff: inlineText,
      /** Hashes of the call and its result, by which loops are detected. */
      callHash: z.string().max(40),
      resultHash: z.string().max(40),
    }),
  },
  'todos.changed': { version: 1, data: z.object({ turnId: TurnId, todos: z.array(Todo).max(50) }) },
  'step.finished': {
    version: 1,
    data: z.object({
      ...inTurn,
      partId: AgentRef,
      reason: z.string().max(100),
      tokens: TokenCounts,
      /** Null when the model's price is not known. */
      costUsd: z.number().nonnegative().nullable(),
    }),
  },
  'question.asked': {
    version: 1,
    data: z.object({
      ...inTurn,
      requestId: AgentRef,
      /** The tool call that asks; null without one. */
      callId: AgentRef.nullable(),
      questions: z.array(Question).max(10),
    }),
  },
  /** A person's answer; `answers` null dismisses the question. */
  'question.answered': {
    version: 1,
    data: z.object({ requestId: AgentRef, answers: QuestionAnswers.nullable(), by: z.string() }),
  },
  'permission.asked': {
    version: 1,
    data: z.object({
      ...inTurn,
      requestId: AgentRef,
      callId: AgentRef.nullable(),
      permission: z.string().max(200),
      patterns: z.array(z.string().max(1000)).max(20),
    }),
  },
  'permission.answered': {
    version: 1,
    data: z.object({
      requestId: AgentRef,
      reply: PermissionReply,
      message: z.string().max(2000).nullable(),
      by: z.string(),
    }),
  },
  /** The agent has the answer, or no longer waits for one. */
  'ask.closed': { version: 1, data: z.object({ requestId: AgentRef }) },
  'plan.proposed': {
    version: 1,
    data: z.object({ turnId: TurnId, planId: AgentRef, text: inlineText }),
  },
  'plan.decided': {
    version: 1,
    data: z.object({ planId: AgentRef, decision: PlanDecision, by: z.string() }),
  },
  'subagent.started': {
    version: 1,
    data: z.object({ turnId: TurnId, subagentId: AgentRef, title: z.string().max(500) }),
  },
  'subagent.finished': {
    version: 1,
    data: z.object({ turnId: TurnId, subagentId: AgentRef, status: ToolStatus }),
  },
  'conversation.compacted': { version: 1, data: z.object({ turnId: TurnId, partId: AgentRef }) },
  /** The agent waits for the model's provider and retries automatically. */
  'provider.retrying': {
    version: 1,
    data: z.object({
      turnId: TurnId,
      attempt: count,
      nextAttemptAt: count,
      /** Null in older logs, and when the agent gives none. */
      reason: ProviderRetryReason.nullable().default(null),
    }),
  },
} as const;
