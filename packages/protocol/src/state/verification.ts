import * as z from 'zod';
import { Confidence, NewTests, VerificationRun } from '../events/verification-events.ts';
import { PromptId, TurnId } from '../ids.ts';

/** Who asked for a round: a person, or Ship because tests failed or a merge conflicts. */
export const RoundKind = z.enum(['person', 'repair', 'conflict']);
export type RoundKind = z.infer<typeof RoundKind>;

/** One prompt and what the agent did about it, as a pull request tells it. Texts are cut. */
export const Round = z.object({
  turnId: TurnId,
  promptId: PromptId,
  kind: RoundKind,
  asked: z.string(),
  /** The agent's last message, without its closing lines; empty while there is none. */
  said: z.string(),
  /** What the agent says this round changed, in one line. */
  change: z.string().nullable(),
  /** What the agent says all of the work so far changes. */
  whole: z.string().nullable(),
  toolFailures: z.int().nonnegative(),
});
export type Round = z.infer<typeof Round>;

/** What is known of whether the work is right. The newest of each only, so it does not grow with the log. */
export const VerificationState = z.object({
  before: VerificationRun.nullable(),
  after: VerificationRun.extend({ turnId: TurnId }).nullable(),
  confidence: Confidence.nullable(),
  /** How often in a row the command failed after work since a person last asked for something. */
  failedRounds: z.int().nonnegative(),
  /** How often Ship itself asked the agent for something since a person last did; absent in older states. */
  shipPrompts: z.int().nonnegative().optional(),
  /** What people asked for last, newest at the end: what Ship itself asks for is no reason for a pull request. */
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
