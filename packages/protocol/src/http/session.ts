import * as z from 'zod';
import { AttachmentRef, MAX_ATTACHMENTS } from '../attachment.ts';
import { AgentMode } from '../events/agent-events.ts';
import { DurableEnvelope } from '../events/envelope.ts';
import { CommitSha } from '../events/git-events.ts';
import { ModelRef } from '../events/session-events.ts';
import { SandboxState } from '../state/sandbox.ts';
import { SessionState } from '../state/session.ts';
import { CardId, DraftId, PromptId, RequestId, SessionId } from '../ids.ts';
import { SessionSource } from './session-source.ts';
import { SessionSummary } from './session-summary.ts';
import { StepLimit } from './settings.ts';
import { BranchName, RepositoryLocation, line } from './text.ts';

const PromptText = z.string().trim().min(1).max(100_000);
const requestId = RequestId;

/** `POST /api/sessions` */
export const SessionCreate = z.strictObject({
  requestId,
  repository: RepositoryLocation,
  /** Null or absent: the session prepares its sandbox and waits for the first prompt. */
  prompt: PromptText.nullable().default(null),
  /** The first line of the prompt when absent. */
  title: line(200).nullable().default(null),
  /** A program derived the title from the prompt: a better one may replace it. */
  isTitleGuessed: z.boolean().default(false),
  base: BranchName.nullable().default(null),
  branch: BranchName.nullable().default(null),
  /** The workspace's default when absent. */
  model: ModelRef.nullable().default(null),
  budgetUsd: z.number().positive().max(1_000_000).nullable().default(null),
  /** Steps of one turn in this session; null uses the limit of the repository or the settings. */
  maxStepsPerTurn: StepLimit.nullable().default(null),
  /** `plan`: the agent proposes first and changes nothing until a person approves. */
  mode: AgentMode.default('build'),
  source: SessionSource.default('api'),
  /** The board's card that this session is started from. */
  cardId: CardId.nullable().default(null),
  /** The draft whose agent `POST /api/drafts` prewarmed. */
  draftId: DraftId.nullable().default(null),
});
export type SessionCreate = z.infer<typeof SessionCreate>;

/** Everything up to `seq` is on disk. */
export const SessionReceipt = z.object({ sessionId: SessionId, seq: z.int().nonnegative() });
export type SessionReceipt = z.infer<typeof SessionReceipt>;

export const PromptReceipt = z.object({
  sessionId: SessionId,
  promptId: PromptId,
  seq: z.int().nonnegative(),
});
export type PromptReceipt = z.infer<typeof PromptReceipt>;

/** The tested commit. `stale`: the branch has a newer commit, on which the tests have not run yet. */
export const SessionEvidence = z.object({
  commit: CommitSha.nullable(),
  headSha: CommitSha.nullable(),
  stale: z.boolean(),
});
export type SessionEvidence = z.infer<typeof SessionEvidence>;

/** `GET /api/sessions/:sessionId` */
export const SessionView = z.object({
  summary: SessionSummary,
  state: SessionState,
  /** Null before the first test run; older servers omit it. */
  evidence: SessionEvidence.nullable().optional(),
});
export type SessionView = z.infer<typeof SessionView>;

/** `PATCH /api/sessions/:sessionId`: changes the title or the budget (null uses the settings). */
export const SessionEdit = z
  .strictObject({
    requestId,
    title: line(200).optional(),
    budgetUsd: z.number().positive().max(1_000_000).nullable().optional(),
  })
  .refine(({ title, budgetUsd }) => (title === undefined) !== (budgetUsd === undefined), {
    message: 'set either title or budgetUsd',
  });
export type SessionEdit = z.infer<typeof SessionEdit>;

/** `POST …/prompts` */
export const PromptCreate = z.strictObject({
  requestId,
  text: PromptText,
  /** Files that `POST …/attachments` stored before. */
  attachments: z.array(AttachmentRef).max(MAX_ATTACHMENTS).default([]),
});
export type PromptCreate = z.infer<typeof PromptCreate>;

/** `PATCH …/prompts/:promptId`: changes the text, the position in the queue (null moves to the front), or both. */
export const PromptEdit = z
  .strictObject({
    requestId,
    text: PromptText.optional(),
    after: PromptId.nullable().optional(),
  })
  .refine(({ text, after }) => text !== undefined || after !== undefined, {
    message: 'set text, after or both',
  });
export type PromptEdit = z.infer<typeof PromptEdit>;

/** A command without other fields, such as retry and close. */
export const PlainCommand = z.strictObject({ requestId });
export type PlainCommand = z.infer<typeof PlainCommand>;

/** `POST …/stop` */
export const StopCommand = z.strictObject({
  requestId,
  /** Also withdraws all queued prompts. */
  clearQueue: z.boolean().default(false),
});
export type StopCommand = z.infer<typeof StopCommand>;

/** `PUT …/model` */
export const ModelChoice = z.strictObject({ requestId, model: ModelRef });
export type ModelChoice = z.infer<typeof ModelChoice>;

/** `DELETE …` and `DELETE …/prompts/:promptId`: the request id is in the query. */
export const RequestQuery = z.strictObject({ requestId });
export type RequestQuery = z.infer<typeof RequestQuery>;

/** `GET …/sandbox`: the last observed state and its time. */
export const SandboxView = z.object({ sessionId: SessionId, sandbox: SandboxState });
export type SandboxView = z.infer<typeof SandboxView>;

/** `GET …/history?after=SEQ` or `?before=SEQ`: one page of the log, in the order of the log. */
export const HistoryQuery = z
  .strictObject({
    after: z.coerce.number().int().nonnegative().optional(),
    before: z.coerce.number().int().min(1).optional(),
    limit: z.coerce.number().int().min(1).max(500).default(200),
  })
  .refine(({ after, before }) => after === undefined || before === undefined, {
    message: 'set after or before, not both',
  });
export type HistoryQuery = z.infer<typeof HistoryQuery>;

export const HistoryPage = z.object({
  events: z.array(DurableEnvelope),
  newestSeq: z.int().nonnegative(),
});
export type HistoryPage = z.infer<typeof HistoryPage>;

/** The span name of a model call in a session's trace. */
export const MODEL_SPAN = 'model.call';

/** One timed operation of the session, for `GET …/trace`. */
export const TraceSpan = z.object({
  spanId: z.int().min(1),
  name: z.string().max(100),
  startedAt: z.int().nonnegative(),
  durationMs: z.number().nonnegative(),
  outcome: z.enum(['ok', 'failed']),
  detail: z.string().max(500).nullable(),
});
export type TraceSpan = z.infer<typeof TraceSpan>;

export const Trace = z.object({ sessionId: SessionId, spans: z.array(TraceSpan) });
export type Trace = z.infer<typeof Trace>;

/** `GET …/socket?after=SEQ` and `GET …/events?after=SEQ`; `Last-Event-ID` wins over `after`. */
export const WatchQuery = z.strictObject({
  after: z.coerce.number().int().nonnegative().optional(),
  /** The protocol version that the client speaks. */
  protocol: z.coerce.number().int().min(1).optional(),
});
export type WatchQuery = z.infer<typeof WatchQuery>;

/** The name of an artifact within its session. */
export const ArtifactName = z
  .string()
  .max(120)
  .regex(/^[A-Za-z0-9_][A-Za-z0-9._-]*$/, 'must be the name of an artifact');
export type ArtifactName = z.infer<typeof ArtifactName>;
