import * as z from 'zod';
import { ShipError } from './error-schema.ts';
import { ModelRef, Prompt, TurnOutcome } from './events/session-events.ts';
import { PromptId, RequestId, SessionId, TurnId } from './ids.ts';

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

export type SessionCommand = UserCommand | WorkCommand;

/** The same request id and body is answered as before and changes nothing; another body is a conflict. */
export const CommandRequest = z.object({ requestId: RequestId, command: UserCommand });
export type CommandRequest = z.infer<typeof CommandRequest>;

/** The acknowledgement: everything up to `seq` is on disk. */
export const CommandReceipt = z.object({ requestId: RequestId, seq: z.int().nonnegative() });
export type CommandReceipt = z.infer<typeof CommandReceipt>;

export type CommandResult =
  | { kind: 'accepted'; receipt: CommandReceipt }
  | { kind: 'rejected'; error: ShipError };
