import * as z from 'zod';
import { Confidence, VerificationRun } from '../events/verification-events.ts';
import { TurnId } from '../ids.ts';

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
});
export type VerificationState = z.infer<typeof VerificationState>;
