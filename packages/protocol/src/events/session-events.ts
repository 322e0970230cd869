import * as z from 'zod';
import { Attachment, MAX_ATTACHMENTS } from '../attachment.ts';
import { ShipError } from '../error-schema.ts';
import { SessionSource } from '../http/session-source.ts';
import { CardId, PromptId, SessionId, TurnId } from '../ids.ts';
import { TurnOutcome, TurnOutcomeV1 } from '../turn-outcome.ts';
import { AGENT_EVENTS, AgentMode, TokenCounts } from './agent-events.ts';
import { EGRESS_EVENTS } from './egress-events.ts';
import { GIT_EVENTS } from './git-events.ts';
import { RECORDING_EVENTS } from './recording-events.ts';
import { SANDBOX_EVENTS } from './sandbox-events.ts';
import { SETUP_EVENTS } from './setup-events.ts';
import { SETUP_PROOF_EVENTS } from './setup-proof-events.ts';
import { TOOL_SERVER_EVENTS } from './tool-server-events.ts';
import { VERIFICATION_EVENTS } from './verification-events.ts';

/** `provider/model`, as the model gateway and OpenCode know it. */
export const ModelRef = z
  .string()
  .max(200)
  .regex(/^[^/\s]+\/\S+$/, 'must look like provider/model');
export type ModelRef = z.infer<typeof ModelRef>;

/** `prompt`: the title is the start of the prompt, until the small model generates a better one. */
export const TitledBy = z.enum(['person', 'prompt', 'model']);
export type TitledBy = z.infer<typeof TitledBy>;

export const Prompt = z.object({
  promptId: PromptId,
  text: z.string().trim().min(1).max(100_000),
  author: z.string().min(1).max(200),
  /** Absent without any, and in older logs. */
  attachments: z.array(Attachment).max(MAX_ATTACHMENTS).optional(),
});
export type Prompt = z.infer<typeof Prompt>;

/**
 * The durable events of a session, by type and version. The shape of a version never changes: a new shape gets a new version,
 * so that every old log still folds. `earlier` has the old shapes, each of which must be valid under the newest one.
 */
export const SESSION_EVENTS = {
  'session.created': {
    version: 1,
    data: z.object({
      sessionId: SessionId,
      title: z.string().min(1).max(200),
      repository: z.string().min(1).max(2000),
      model: ModelRef,
      base: z.string().min(1).max(300).nullable().default(null),
      branch: z.string().min(1).max(300).nullable().default(null),
      budgetUsd: z.number().positive().nullable().default(null),
      /** Steps of one turn; null or absent uses the limit of the repository or the settings. */
      maxStepsPerTurn: z.int().min(1).nullable().optional(),
      source: SessionSource.default('api'),
      mode: AgentMode.default('build'),
      /** Older logs parse as `person`, so that no model renames those sessions. */
      titledBy: TitledBy.default('person'),
      /** The card of the board that the session works on. */
      cardId: CardId.nullable().default(null),
    }),
  },
  /** The small model's title and its cost; null when it is unusable or unchanged, or when a person was faster. */
  'session.named': {
    version: 1,
    data: z.object({
      title: z.string().min(1).max(200).nullable(),
      model: ModelRef,
      tokens: TokenCounts,
      /** Null when the model's price is not known. */
      costUsd: z.number().nonnegative().nullable(),
    }),
  },
  'session.renamed': { version: 1, data: z.object({ title: z.string().min(1).max(200) }) },
  'session.closed': { version: 1, data: z.object({ by: z.string() }) },
  'model.changed': { version: 1, data: z.object({ model: ModelRef }) },
  /** Null uses the settings' budget. */
  'budget.changed': {
    version: 1,
    data: z.object({ budgetUsd: z.number().positive().nullable(), by: z.string().max(200) }),
  },
  'prompt.queued': { version: 1, data: Prompt },
  'prompt.withdrawn': { version: 1, data: z.object({ promptId: PromptId }) },
  'prompt.edited': {
    version: 1,
    data: z.object({ promptId: PromptId, text: Prompt.shape.text }),
  },
  /** The prompt moved after `after`, or to the front when that is null. */
  'prompt.moved': {
    version: 1,
    data: z.object({ promptId: PromptId, after: PromptId.nullable() }),
  },
  'turn.started': {
    version: 1,
    data: z.object({
      turnId: TurnId,
      promptId: PromptId,
      attempt: z.int().min(1),
      /** An earlier turn started this prompt: the agent continues instead of getting the prompt again. */
      continues: z.boolean().default(false),
    }),
  },
  'turn.stop-requested': { version: 1, data: z.object({ turnId: TurnId, by: z.string() }) },
  'turn.retry-scheduled': {
    version: 1,
    data: z.object({ turnId: TurnId, error: ShipError, nextAttemptAt: z.int() }),
  },
  ...SANDBOX_EVENTS,
  ...AGENT_EVENTS,
  ...RECORDING_EVENTS,
  'turn.finished': {
    version: 2,
    data: z.object({ turnId: TurnId, outcome: TurnOutcome }),
    // Version 1 is valid under version 2, so no conversion is needed.
    earlier: { 1: z.object({ turnId: TurnId, outcome: TurnOutcomeV1 }) },
  },
  ...GIT_EVENTS,
  ...SETUP_EVENTS,
  ...EGRESS_EVENTS,
  ...SETUP_PROOF_EVENTS,
  ...TOOL_SERVER_EVENTS,
  ...VERIFICATION_EVENTS,
} as const;

export type SessionEventType = keyof typeof SESSION_EVENTS;

/** One event before the log gives it a sequence number. */
export type SessionEvent = {
  [Type in SessionEventType]: {
    type: Type;
    version: (typeof SESSION_EVENTS)[Type]['version'];
    data: z.infer<(typeof SESSION_EVENTS)[Type]['data']>;
  };
}[SessionEventType];
