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

/** One prompt being worked on. `attempt` counts from 1 and grows when a transient failure is retried. */
export const Turn = z.object({
  turnId: TurnId,
  promptId: PromptId,
  startedAt: time,
  attempt: z.int().min(1),
  continues: z.boolean(),
});
export type Turn = z.infer<typeof Turn>;

/** What the agent is doing now. Each state has exactly the facts that are true in it, so none can be stale. */
export const Activity = z.discriminatedUnion('status', [
  z.object({ status: z.literal('idle') }),
  z.object({ status: z.literal('working'), turn: Turn }),
  z.object({ status: z.literal('retrying'), turn: Turn, error: ShipError, nextAttemptAt: time }),
  z.object({ status: z.literal('stopping'), turn: Turn, by: z.string() }),
  z.object({ status: z.literal('failed'), turn: Turn, error: ShipError }),
  /** A limit ended the turn; a person says how to go on. */
  z.object({ status: z.literal('paused'), turn: Turn, pause: Paused }),
  /** A person stopped it, and prompts wait behind: who wanted quiet does not want the next one to begin by itself. */
  z.object({ status: z.literal('held'), by: z.string() }),
  z.object({ status: z.literal('closed'), by: z.string() }),
]);
export type Activity = z.infer<typeof Activity>;

/** How the newest run of a boot stage went. */
export const StageState = z.object({
  stage: BootStage,
  finishedAt: time,
  durationMs: z.number().nonnegative(),
  error: ShipError.nullable(),
});
export type StageState = z.infer<typeof StageState>;

/** What folding a session's log gives, in its object, in the page and in the CLI alike. Plain JSON. */
export const SessionState = z.object({
  sessionId: SessionId,
  title: z.string(),
  titledBy: TitledBy,
  /** The card of the board that it works on; its branch has that name. */
  cardId: CardId.nullable(),
  repository: z.string(),
  /** Null: the repository's own default branch. */
  base: z.string().nullable(),
  /** Null: Ship names it. */
  branch: z.string().nullable(),
  model: ModelRef,
  budgetUsd: z.number().nullable(),
  /** Null: what the repository or the settings say. Absent from an older server. */
  maxStepsPerTurn: z.int().min(1).nullable().default(null),
  source: SessionSource,
  createdAt: time,
  /** Waiting prompts, first in first out. The prompt of the running turn is no longer in it. */
  queue: z.array(Prompt),
  /** The prompt of the newest turn, kept so that a failed one can be retried. */
  current: Prompt.nullable(),
  /** Earlier prompts that never reached the agent: the next one carries them. */
  unreached: z.array(Prompt).default([]),
  activity: Activity,
  sandbox: SandboxState,
  agent: AgentState,
  git: GitState,
  verification: VerificationState,
  /** The newest proof of `.ship/setup.sh`; absent in sessions that never changed it. */
  setupProof: SetupProof.optional(),
  /** Absent until the sandbox was looked at, and in older states. */
  environment: EnvironmentState.optional(),
  /** At most one entry per stage, in the order of boot. */
  stages: z.array(StageState),
  /** When there was last work or a word from a person; viewers are counted by the object. */
  lastActiveAt: time,
  /** When the agent first said or did something, and when the pull request came; null until then. */
  firsts: z.object({ tokenAt: time.nullable(), pullRequestAt: time.nullable() }),
  /** Finished turns, however they ended. */
  turnsFinished: z.int().nonnegative(),
  /** Seq of the newest event folded in; the next one must be `seq + 1`. */
  seq: z.int().nonnegative(),
});
export type SessionState = z.infer<typeof SessionState>;
