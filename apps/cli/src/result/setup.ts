import type { SessionState, SetupProof, VerificationRun } from '@ship/protocol';

/** The result of the changed setup in a clean sandbox, from a fresh clone of the branch. */
export interface RunSetup {
  /** `tests-failed`: the setup works there, but tests fail that pass in the agent's sandbox. */
  status: 'works' | 'setup-failed' | 'tests-failed';
  command: string;
  exitCode: number | null;
  durationMs: number;
  /** Null when the setup failed, or when no command verifies the repository. */
  verify: Pick<VerificationRun, 'command' | 'verdict' | 'exitCode' | 'durationMs'> | null;
}

/** Null when the work changed no setup, or when no sandbox was available for the check. */
export function setupOf({ setupProof, verification }: SessionState): RunSetup | null {
  if (setupProof === undefined) return null;
  const { setup, verify } = setupProof;
  const { command, exitCode, durationMs } = setup;
  return {
    status: statusOf(setupProof, verification.after),
    command,
    exitCode,
    durationMs,
    verify: verify && {
      command: verify.command,
      verdict: verify.verdict,
      exitCode: verify.exitCode,
      durationMs: verify.durationMs,
    },
  };
}

/** Tests that also fail in the agent's sandbox do not count against the setup: `verification` reports them. */
function statusOf(
  { setup, verify }: SetupProof,
  after: VerificationRun | null,
): RunSetup['status'] {
  if (setup.exitCode !== 0) return 'setup-failed';
  if (verify === null || verify.verdict === 'passed') return 'works';
  return after?.verdict === 'passed' ? 'tests-failed' : 'works';
}
