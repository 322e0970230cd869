import * as z from 'zod';
import { ShipError } from '../error-schema.ts';
import { BootStage } from '../events/sandbox-events.ts';
import { ModelRef, Prompt, TitledBy } from '../events/session-events.ts';
import { SetupProof } from '../events/setup-proof-events.ts';
import { SessionSource } from '../http/session-source.ts';
import { CardId, PromptId, SessionId, TurnId } from '../ids.ts';
import { Paused } from '../turn-outcome.ts';
import { AgentState } from './agent.ts';
import { EnvironmentState } from './environment.ts';
import { GitState } from './git.ts';
import { SandboxState } from './sandbox.ts';
import { VerificationState } from './verification.ts';

const time = z.int().nonnegative();

/** The agent's work on one prompt. `attempt` starts at 1 and grows with each retry of a transient failure. */
export const Turn = z.object({
  turnId: TurnId,
  promptId: PromptId,
  startedAt: time,
  attempt: z.int().min(1),
  continues: z.boolean(),
});
export type Turn = z.infer<typeof Turn>;

/** The agent's current activity. Each state has only the fields that are valid in it, so none can be stale. */
export const Activity = z.discriminatedUnion('status', [
  z.object({ status: z.literal('idle') }),
  z.object({ status: z.literal('working'), turn: Turn }),
  z.object({ status: z.literal('retrying'), turn: Turn, error: ShipError, nextAttemptAt: time }),
  z.object({ status: z.literal('stopping'), turn: Turn, by: z.string() }),
  z.object({ status: z.literal('failed'), turn: Turn, error: ShipError }),
  /** A limit ended the turn; a person decides how to continue. */
  z.object({ status: z.literal('paused'), turn: Turn, pause: Paused }),
  /** A person stopped a turn while prompts were queued: the next one must not start automatically. */
  z.object({ status: z.literal('held'), by: z.string() }),
  z.object({ status: z.literal('closed'), by: z.string() }),
]);
export type Activity = z.infer<typeof Activity>;

/** The result of the newest run of a boot stage. */
export const StageState = z.object({
  stage: BootStage,
  finishedAt: time,
  durationMs: z.number().nonnegative(),
  error: ShipError.nullable(),
});
export type StageState = z.infer<typeof StageState>;

/** The folded log of a session, the same in its Durable Object, the web app and the CLI. Plain JSON. */
export const SessionState = z.object({
  sessionId: SessionId,
  title: z.string(),
  titledBy: TitledBy,
  /** The card of the board that the session works on; it names the branch. */
  cardId: CardId.nullable(),
  repository: z.string(),
  /** Null for the repository's default branch. */
  base: z.string().nullable(),
  /** Null when Ship chooses the name. */
  branch: z.string().nullable(),
  model: ModelRef,
  budgetUsd: z.number().nullable(),
  /** Null uses the limit of the repository or the settings. Older servers omit it. */
  maxStepsPerTurn: z.int().min(1).nullable().default(null),
  source: SessionSource,
  createdAt: time,
  /** Queued prompts, first in, first out, without the prompt of the running turn. */
  queue: z.array(Prompt),
  /** The prompt of the newest turn, kept so that a failed one can be retried. */
  current: Prompt.nullable(),
  /** Earlier prompts that never reached the agent: the next turn includes them. */
  unreached: z.array(Prompt).default([]),
  activity: Activity,
  sandbox: SandboxState,
  agent: AgentState,
  git: GitState,
  verification: VerificationState,
  /** The newest proof of `.ship/setup.sh`; absent in sessions that never changed it. */
  setupProof: SetupProof.optional(),
  /** Absent before the first plan, and in older states. */
  environment: EnvironmentState.optional(),
  /** At most one entry per stage, in the order of boot. */
  stages: z.array(StageState),
  /** When the session last had work or a person's action; the Durable Object counts viewers. */
  lastActiveAt: time,
  /** When the agent first wrote or did something, and when the pull request was opened; null until then. */
  firsts: z.object({ tokenAt: time.nullable(), pullRequestAt: time.nullable() }),
  /** Finished turns, however they ended. */
  turnsFinished: z.int().nonnegative(),
  /** Seq of the newest folded event; the next one must be `seq + 1`. */
  seq: z.int().nonnegative(),
});
export type SessionState = z.infer<typeof SessionState>;
