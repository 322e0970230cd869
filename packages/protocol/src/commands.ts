import * as z from 'zod';
import { AgentCommand } from './agent-commands.ts';
import { ShipError } from './error-schema.ts';
import { AgentMode } from './events/agent-events.ts';
import { BootStage, EndReason, SandboxId } from './events/sandbox-events.ts';
import { SessionSource } from './http/session-source.ts';
import { ModelRef, Prompt, TitledBy } from './events/session-events.ts';
import { CardId, PromptId, RequestId, SessionId, TurnId } from './ids.ts';
import { TurnOutcome } from './turn-outcome.ts';

/** A person's commands to a session. */
export const UserCommand = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('session.create'),
    sessionId: SessionId,
    title: z.string().trim().min(1).max(200),
    titledBy: TitledBy.exclude(['model']),
    cardId: CardId.nullable(),
    repository: z.string().trim().min(1).max(2000),
    model: ModelRef,
    base: z.string().min(1).max(300).nullable(),
    branch: z.string().min(1).max(300).nullable(),
    budgetUsd: z.number().positive().nullable(),
    maxStepsPerTurn: z.int().min(1).nullable().optional(),
    source: SessionSource,
    mode: AgentMode,
    /** Null when the session waits for its first prompt. */
    prompt: Prompt.nullable(),
  }),
  z.object({ type: z.literal('session.rename'), title: z.string().trim().min(1).max(200) }),
  z.object({ type: z.literal('session.close'), by: z.string() }),
  z.object({ type: z.literal('model.change'), model: ModelRef }),
  /** A higher budget continues a turn that was paused by the budget, as turn `turnId`. */
  z.object({
    type: z.literal('budget.change'),
    budgetUsd: z.number().positive().nullable(),
    turnId: TurnId,
    by: z.string().max(200),
  }),
  z.object({ type: z.literal('prompt.enqueue'), prompt: Prompt }),
  z.object({ type: z.literal('prompt.withdraw'), promptId: PromptId }),
  z.object({ type: z.literal('prompt.edit'), promptId: PromptId, text: Prompt.shape.text }),
  /** Moves a prompt after `after` (null moves it to the front), and changes its text unless that is null. */
  z.object({
    type: z.literal('prompt.move'),
    promptId: PromptId,
    after: PromptId.nullable(),
    text: Prompt.shape.text.nullable(),
  }),
  z.object({ type: z.literal('turn.stop'), by: z.string(), clearQueue: z.boolean() }),
  /** Retries the failed turn or the failed sandbox. */
  z.object({ type: z.literal('turn.retry'), turnId: TurnId, by: z.string() }),
]);
export type UserCommand = z.infer<typeof UserCommand>;

/** Commands by which the session's turn runner reports progress. */
export const WorkCommand = z.discriminatedUnion('type', [
  z.object({ type: z.literal('turn.start'), turnId: TurnId }),
  z.object({
    type: z.literal('turn.fail'),
    turnId: TurnId,
    error: ShipError,
    jitter: z.number().min(0).max(1),
  }),
  z.object({ type: z.literal('turn.finish'), turnId: TurnId, outcome: TurnOutcome }),
]);
export type WorkCommand = z.infer<typeof WorkCommand>;

/** An observation of the sandbox. Observations of a sandbox that is no longer the session's change nothing. */
export const SandboxObservation = z.discriminatedUnion('type', [
  z.object({ type: z.literal('sandbox.request') }),
  z.object({ type: z.literal('sandbox.found-ready'), sandboxId: SandboxId }),
  z.object({
    type: z.literal('sandbox.found-failing'),
    error: ShipError,
    jitter: z.number().min(0).max(1),
  }),
  z.object({
    type: z.literal('sandbox.found-frozen'),
    sandboxId: SandboxId,
    byPerson: z.boolean(),
  }),
  z.object({ type: z.literal('sandbox.found-asleep'), sandboxId: SandboxId }),
  z.object({
    type: z.literal('sandbox.found-awake'),
    sandboxId: SandboxId,
    processes: z.enum(['kept', 'lost']),
  }),
  z.object({ type: z.literal('sandbox.found-gone'), sandboxId: SandboxId, reason: z.string() }),
  z.object({ type: z.literal('sandbox.ended'), sandboxId: SandboxId, reason: EndReason }),
  z.object({ type: z.literal('sandbox.stray-found'), sandboxId: SandboxId }),
  /** The service no longer has any sandbox of this session. */
  z.object({ type: z.literal('sandbox.swept') }),
  z.object({
    type: z.literal('stage.finish'),
    stage: BootStage,
    durationMs: z.number().nonnegative(),
    error: ShipError.nullable(),
  }),
]);
export type SandboxObservation = z.infer<typeof SandboxObservation>;

export type SessionCommand = UserCommand | AgentCommand | WorkCommand | SandboxObservation;

/**
 * `requestId` is the idempotency key, `fingerprint` a hash of the request body: a repeated request with the same fingerprint gets
 * the first receipt; with another one it is a conflict. The command itself contains generated ids and cannot be compared.
 */
export const CommandRequest = z.object({
  requestId: RequestId,
  fingerprint: z.string().min(1).max(200),
  command: z.union([UserCommand, AgentCommand]),
});
export type CommandRequest = z.infer<typeof CommandRequest>;

/** The acknowledgement: everything up to `seq` is on disk. */
export const CommandReceipt = z.object({
  requestId: RequestId,
  seq: z.int().nonnegative(),
  /** The id of the command's prompt; null without one. */
  promptId: PromptId.nullable(),
});
export type CommandReceipt = z.infer<typeof CommandReceipt>;

export type CommandResult =
  | { kind: 'accepted'; receipt: CommandReceipt }
  | { kind: 'rejected'; error: ShipError };
