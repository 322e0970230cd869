import * as z from 'zod';
import { TurnId } from '../ids.ts';

const count = z.int().nonnegative();

/** An event is read by every client: the rest is in the artifact. */
export const VERIFICATION_LIMITS = {
  commandCharacters: 4_000,
  failingNames: 50,
  nameCharacters: 300,
  outputBytes: 4_096,
} as const;

/** `before` the agent's first work in the session; `after` a turn that changed something. */
export const VerificationPhase = z.enum(['before', 'after']);
export type VerificationPhase = z.infer<typeof VerificationPhase>;

/** `unavailable`: the command could not run, as when its dependencies are missing. That says nothing about the work. */
export const VerificationVerdict = z.enum(['passed', 'failed', 'unavailable', 'timed-out']);
export type VerificationVerdict = z.infer<typeof VerificationVerdict>;

/** What a runner said of its tests. */
export const TestCounts = z.object({ passed: count, failed: count, skipped: count });
export type TestCounts = z.infer<typeof TestCounts>;

/** One run of the command, without its output. */
export const VerificationRun = z.object({
  command: z.string().min(1).max(VERIFICATION_LIMITS.commandCharacters),
  /** Where the command is from: `settings` or the name of a file. */
  source: z.string().min(1).max(100),
  verdict: VerificationVerdict,
  /** Null when it was cut off. */
  exitCode: z.int().nullable(),
  durationMs: z.number().nonnegative(),
  /** Null when the output was not understood. */
  counts: TestCounts.nullable(),
  /** Names of failing tests as far as understood; `counts` has all of them. */
  failing: z
    .array(z.string().max(VERIFICATION_LIMITS.nameCharacters))
    .max(VERIFICATION_LIMITS.failingNames),
  /** Where all of the output is. */
  link: z.string().max(2000).nullable(),
});
export type VerificationRun = z.infer<typeof VerificationRun>;

/** One reason for the score: `weight` is its share, `value` how well it speaks for the work, from 0 to 1. */
export const ConfidencePart = z.object({
  name: z.enum(['tests', 'test-count', 'size', 'errors', 'rounds', 'own-estimate']),
  weight: z.number().positive(),
  value: z.number().min(0).max(1),
  text: z.string().max(500),
});
export type ConfidencePart = z.infer<typeof ConfidencePart>;

export const Confidence = z.object({
  score: z.int().min(0).max(100),
  parts: z.array(ConfidencePart).max(10),
});
export type Confidence = z.infer<typeof Confidence>;

export const VERIFICATION_EVENTS = {
  'verification.finished': {
    version: 1,
    data: VerificationRun.extend({
      turnId: TurnId,
      phase: VerificationPhase,
      /** The end of it. */
      output: z.string().max(VERIFICATION_LIMITS.outputBytes),
      outputBytes: count,
    }),
  },
  'confidence.computed': { version: 1, data: Confidence.extend({ turnId: TurnId }) },
} as const;
