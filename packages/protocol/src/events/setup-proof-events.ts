import * as z from 'zod';
import { TurnId } from '../ids.ts';
import { VerificationRun } from './verification-events.ts';

/** How one command of the proof ended. */
const ProofRun = z.object({
  command: z.string().max(4000),
  /** Null when the command was killed. */
  exitCode: z.int().nullable(),
  durationMs: z.number().nonnegative(),
  /** Link to its whole output. */
  link: z.string().max(2000).nullable(),
});

/** The result of a commit's setup in a clean sandbox, from a fresh clone, without files that the agent left behind. */
export const SetupProof = z.object({
  turnId: TurnId,
  sha: z.string().max(64),
  setup: ProofRun,
  /** Null when the setup failed, or when no command verifies the repository. */
  verify: VerificationRun.nullable(),
});
export type SetupProof = z.infer<typeof SetupProof>;

export const SETUP_PROOF_EVENTS = {
  'setup.proved': { version: 1, data: SetupProof },
} as const;
