import * as z from 'zod';
import { Confidence, NewTests, VerificationRun } from '../events/verification-events.ts';
import { PromptId, TurnId } from '../ids.ts';

/** The origin of a round: a person, or Ship after failed tests or a merge conflict. */
export const RoundKind = z.enum(['person', 'repair', 'conflict']);
export type RoundKind = z.infer<typeof RoundKind>;

/** One prompt and the agent's work on it, as a pull request shows it. Texts are truncated. */
export const Round = z.object({
  turnId: TurnId,
  promptId: PromptId,
  kind: RoundKind,
  asked: z.string(),
  /** The agent's last message without its closing lines; empty while there is none. */
  said: z.string(),
  /** The agent's line about the change of this round. */
  change: z.string().nullable(),
  /** The agent's description of all changes so far. */
  whole: z.string().nullable(),
  toolFailures: z.int().nonnegative(),
});
export type Round = z.infer<typeof Round>;

/** The verification of the work. It has only the newest runs, so it does not grow with the log. */
export const VerificationState = z.object({
  before: VerificationRun.nullable(),
  after: VerificationRun.extend({ turnId: TurnId }).nullable(),
  confidence: Confidence.nullable(),
  /** Consecutive failures of the command after work since a person's last prompt. */
  failedRounds: z.int().nonnegative(),
  /** Number of Ship's own prompts since a person's last one; absent in older states. */
  shipPrompts: z.int().nonnegative().optional(),
  /** People's newest prompts, newest last, without Ship's own. */
  asked: z.array(z.string()),
  /** Why there is no score; null or absent when there is one, or no work yet. */
  notVerified: z.string().nullable().optional(),
  /** The first round and the newest ones, oldest first; absent in older states. */
  rounds: z.array(Round).optional(),
  /** Rounds that are no longer in the list. */
  roundsLeftOut: z.int().nonnegative().optional(),
  newTests: NewTests.nullable().optional(),
});
export type VerificationState = z.infer<typeof VerificationState>;
