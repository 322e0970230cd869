import * as z from 'zod';
import { ShipError } from './error-schema.ts';
import { ModelRef, Prompt } from './events/session-events.ts';
import { EndReason, SandboxId } from './events/sandbox-events.ts';
import { PromptId, RequestId, SessionId, TurnId } from './ids.ts';
import { TurnOutcome } from './turn-outcome.ts';

/** What a person asks of a session. */
export const UserCommand = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('session.create'),
    sessionId: SessionId,
    title: z.string().trim().min(1).max(200),
    repository: z.string().trim().min(1).max(2000),
    model: ModelRef,
    prompt: Prompt,
  }),
  z.object({ type: z.literal('session.rename'), title: z.string().trim().min(1).max(200) }),
  z.object({ type: z.literal('session.close'), by: z.string() }),
  z.object({ type: z.literal('model.change'), model: ModelRef }),
  z.object({ type: z.literal('prompt.enqueue'), prompt: Prompt }),
  z.object({ type: z.literal('prompt.withdraw'), promptId: PromptId }),
  z.object({ type: z.literal('turn.stop'), by: z.string() }),
  z.object({ type: z.literal('turn.retry'), turnId: TurnId, by: z.string() }),
]);
export type UserCommand = z.infer<typeof UserCommand>;

/** What the session's own machinery reports of its work. */
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

/** What was seen of the sandbox. About a sandbox that is no longer the session's, it changes nothing. */
export const SandboxObservation = z.discriminatedUnion('type', [
  z.object({ type: z.literal('sandbox.request') }),
  z.object({ type: z.literal('sandbox.found-ready'), sandboxId: SandboxId }),
  z.object({
    type: z.literal('sandbox.found-failing'),
    error: ShipError,
    jitter: z.number().min(0).max(1),
  }),
  z.object({ type: z.literal('sandbox.found-frozen'), sandboxId: SandboxId }),
  z.object({ type: z.literal('sandbox.found-asleep'), sandboxId: SandboxId }),
  z.object({
    type: z.literal('sandbox.found-awake'),
    sandboxId: SandboxId,
    processes: z.enum(['kept', 'lost']),
  }),
  z.object({ type: z.literal('sandbox.found-gone'), sandboxId: SandboxId, reason: z.string() }),
  z.object({ type: z.literal('sandbox.ended'), sandboxId: SandboxId, reason: EndReason }),
]);
export type SandboxObservation = z.infer<typeof SandboxObservation>;

export type SessionCommand = UserCommand | WorkCommand | SandboxObservation;

/** The same request id and body is answered as before and changes nothing; another body is a conflict. */
export const CommandRequest = z.object({ requestId: RequestId, command: UserCommand });
export type CommandRequest = z.infer<typeof CommandRequest>;

/** The acknowledgement: everything up to `seq` is on disk. */
export const CommandReceipt = z.object({ requestId: RequestId, seq: z.int().nonnegative() });
export type CommandReceipt = z.infer<typeof CommandReceipt>;

export type CommandResult =
  | { kind: 'accepted'; receipt: CommandReceipt }
  | { kind: 'rejected'; error: ShipError };
