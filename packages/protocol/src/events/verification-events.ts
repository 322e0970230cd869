import * as z from 'zod';
import { TurnId } from '../ids.ts';
import { CommitSha } from './git-events.ts';

const count = z.int().nonnegative();

/** An event is read by every client: the rest is in the artifact. */
export const VERIFICATION_LIMITS = {
  commandCharacters: 4_000,
  failingNames: 50,
  nameCharacters: 300,
  outputBytes: 4_096,
  listedTests: 30,
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
  /** The commit whose files were tested; absent until that is known, and in older logs. */
  commit: CommitSha.nullable().optional(),
  /** Of the output without times, paths and addresses: two runs with the same one failed alike. Absent in older logs. */
  outputDigest: z.string().max(64).optional(),
  /** Why it could not run, where Ship knows; absent in older logs. */
  reason: z.string().max(1000).optional(),
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

/** A command of the repository that people wait for. */
export const CommandPurpose = z.enum(['setup', 'verify-before', 'verify-after', 'setup-proof']);
export type CommandPurpose = z.infer<typeof CommandPurpose>;

const testNames = z
  .array(z.string().max(VERIFICATION_LIMITS.nameCharacters))
  .max(VERIFICATION_LIMITS.listedTests);

/** Tests that the work added or changed, and what they do on the base without the rest of the work. */
export const NewTests = z.object({
  files: z.array(z.string().max(4096)).max(VERIFICATION_LIMITS.listedTests),
  names: testNames,
  /** `fail`: they need the change. `pass`: they would pass without it. `unknown`: they could not be run there. */
  withoutChange: z.enum(['fail', 'pass', 'unknown']),
  /** Names of those that fail on the base, as far as the runner says. */
  failingWithoutChange: testNames,
});
export type NewTests = z.infer<typeof NewTests>;

export const VERIFICATION_EVENTS = {
  /** So that people see what takes the time; its end is `stage.finished`, `verification.finished` or `setup.proved`. */
  'command.started': {
    version: 1,
    data: z.object({
      turnId: TurnId.nullable(),
      purpose: CommandPurpose,
      command: z.string().min(1).max(VERIFICATION_LIMITS.commandCharacters),
      /** When it is cut off at the latest. */
      limitMs: z.number().positive(),
    }),
  },
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
  /** There is no score, because no test has judged the work; `reason` says why. */
  'confidence.withheld': {
    version: 1,
    data: z.object({ turnId: TurnId, reason: z.string().min(1).max(500) }),
  },
  /** The files that were tested in this turn are those of this commit. */
  'verification.committed': { version: 1, data: z.object({ turnId: TurnId, sha: CommitSha }) },
  'new-tests.checked': { version: 1, data: NewTests.extend({ turnId: TurnId }) },
} as const;
