import * as z from 'zod';
import { TurnId } from '../ids.ts';
import { CommitSha } from './git-events.ts';

const count = z.int().nonnegative();

/** Limits for events, which every client reads: the rest is in the artifact. */
export const VERIFICATION_LIMITS = {
  commandCharacters: 4_000,
  failingNames: 50,
  nameCharacters: 300,
  outputBytes: 4_096,
  listedTests: 30,
} as const;

/** `before`: before the agent's first work in the session. `after`: after a turn that changed something. */
export const VerificationPhase = z.enum(['before', 'after']);
export type VerificationPhase = z.infer<typeof VerificationPhase>;

/** `unavailable`: the command could not run, as when its dependencies are missing. That says nothing about the work. */
export const VerificationVerdict = z.enum(['passed', 'failed', 'unavailable', 'timed-out']);
export type VerificationVerdict = z.infer<typeof VerificationVerdict>;

/** A test runner's counts. */
export const TestCounts = z.object({ passed: count, failed: count, skipped: count });
export type TestCounts = z.infer<typeof TestCounts>;

/** One run of the command, without its output. */
export const VerificationRun = z.object({
  command: z.string().min(1).max(VERIFICATION_LIMITS.commandCharacters),
  /** The origin of the command: `settings` or the name of a file. */
  source: z.string().min(1).max(100),
  verdict: VerificationVerdict,
  /** Null when the command was killed. */
  exitCode: z.int().nullable(),
  durationMs: z.number().nonnegative(),
  /** Null when the output could not be parsed. */
  counts: TestCounts.nullable(),
  /** Names of failing tests, as far as parsed; `counts` includes all of them. */
  failing: z
    .array(z.string().max(VERIFICATION_LIMITS.nameCharacters))
    .max(VERIFICATION_LIMITS.failingNames),
  /** Link to the whole output. */
  link: z.string().max(2000).nullable(),
  /** The commit whose files were tested; absent until that is known, and in older logs. */
  commit: CommitSha.nullable().optional(),
  /** Digest of the output without times, paths and addresses: equal digests mean the same failure. Absent in older logs. */
  outputDigest: z.string().max(64).optional(),
  /** Why it could not run, if known; absent in older logs. */
  reason: z.string().max(1000).optional(),
});
export type VerificationRun = z.infer<typeof VerificationRun>;

/** One component of the score: `weight` is its share, `value` its result from 0 to 1. */
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

/** Tests that the work added or changed, and their result on the base without the rest of the work. */
export const NewTests = z.object({
  files: z.array(z.string().max(4096)).max(VERIFICATION_LIMITS.listedTests),
  names: testNames,
  /** `fail`: they need the change. `pass`: they pass without it. `unknown`: they could not run on the base. */
  withoutChange: z.enum(['fail', 'pass', 'unknown']),
  /** Names of those that fail on the base, as far as parsed. */
  failingWithoutChange: testNames,
});
export type NewTests = z.infer<typeof NewTests>;

export const VERIFICATION_EVENTS = {
  /** Shows people a long-running command; it ends with `stage.finished`, `verification.finished` or `setup.proved`. */
  'command.started': {
    version: 1,
    data: z.object({
      turnId: TurnId.nullable(),
      purpose: CommandPurpose,
      command: z.string().min(1).max(VERIFICATION_LIMITS.commandCharacters),
      /** The command's timeout. */
      limitMs: z.number().positive(),
    }),
  },
  'verification.finished': {
    version: 1,
    data: VerificationRun.extend({
      turnId: TurnId,
      phase: VerificationPhase,
      /** The end of the output. */
      output: z.string().max(VERIFICATION_LIMITS.outputBytes),
      outputBytes: count,
    }),
  },
  'confidence.computed': { version: 1, data: Confidence.extend({ turnId: TurnId }) },
  /** There is no score, because no test has run; `reason` says why. */
  'confidence.withheld': {
    version: 1,
    data: z.object({ turnId: TurnId, reason: z.string().min(1).max(500) }),
  },
  /** The commit that contains the files that this turn tested. */
  'verification.committed': { version: 1, data: z.object({ turnId: TurnId, sha: CommitSha }) },
  'new-tests.checked': { version: 1, data: NewTests.extend({ turnId: TurnId }) },
} as const;
