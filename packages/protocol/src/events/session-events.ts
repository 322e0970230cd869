import * as z from 'zod';
import { ShipError } from '../error-schema.ts';
import { PromptId, SessionId, TurnId } from '../ids.ts';
import { GIT_EVENTS } from './git-events.ts';
import { SANDBOX_EVENTS } from './sandbox-events.ts';

/** `provider/model`, as the model gateway and OpenCode know it. */
export const ModelRef = z
  .string()
  .max(200)
  .regex(/^[^/\s]+\/\S+$/, 'must look like provider/model');
export type ModelRef = z.infer<typeof ModelRef>;

export const Prompt = z.object({
  promptId: PromptId,
  text: z.string().trim().min(1).max(100_000),
  author: z.string().min(1).max(200),
});
export type Prompt = z.infer<typeof Prompt>;

/** How a turn ended. A stopped turn is no failure: the work so far is kept. */
export const TurnOutcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('completed') }),
  z.object({ kind: z.literal('stopped'), by: z.string() }),
  z.object({ kind: z.literal('failed'), error: ShipError }),
]);
export type TurnOutcome = z.infer<typeof TurnOutcome>;

/**
 * The durable events of a session, by type and version. A shape never changes under its version: a new need gets a
 * new version beside the old one, so that every log ever written still folds.
 */
export const SESSION_EVENTS = {
  'session.created': {
    version: 1,
    data: z.object({
      sessionId: SessionId,
      title: z.string().min(1).max(200),
      repository: z.string().min(1).max(2000),
      model: ModelRef,
    }),
  },
  'session.renamed': { version: 1, data: z.object({ title: z.string().min(1).max(200) }) },
  'session.closed': { version: 1, data: z.object({ by: z.string() }) },
  'model.changed': { version: 1, data: z.object({ model: ModelRef }) },
  'prompt.queued': { version: 1, data: Prompt },
  'prompt.withdrawn': { version: 1, data: z.object({ promptId: PromptId }) },
  'turn.started': {
    version: 1,
    data: z.object({ turnId: TurnId, promptId: PromptId, attempt: z.int().min(1) }),
  },
  'turn.stop-requested': { version: 1, data: z.object({ turnId: TurnId, by: z.string() }) },
  'turn.retry-scheduled': {
    version: 1,
    data: z.object({ turnId: TurnId, error: ShipError, nextAttemptAt: z.int() }),
  },
  ...SANDBOX_EVENTS,
  ...GIT_EVENTS,
  'turn.finished': { version: 1, data: z.object({ turnId: TurnId, outcome: TurnOutcome }) },
} as const;

export type SessionEventType = keyof typeof SESSION_EVENTS;

/** One event before it has a place in the log. */
export type SessionEvent = {
  [Type in SessionEventType]: {
    type: Type;
    version: (typeof SESSION_EVENTS)[Type]['version'];
    data: z.infer<(typeof SESSION_EVENTS)[Type]['data']>;
  };
}[SessionEventType];
