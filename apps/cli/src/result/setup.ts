import type { SessionState, SetupProof, VerificationRun } from '@ship/protocol';

/** How the setup that the work wrote ran in a clean sandbox, from a fresh clone of the branch. */
export interface RunSetup {
  /** `tests-failed`: the setup runs there, and tests fail there that pass in the agent's own sandbox. */
  status: 'works' | 'setup-failed' | 'tests-failed';
  command: string;
  exitCode: number | null;
  durationMs: number;
  /** Null when the setup failed, or when no command verifies the repository. */
  verify: Pick<VerificationRun, 'command' | 'verdict' | 'exitCode' | 'durationMs'> | null;
}

/** Null when the work changed no setup, or when no sandbox was free to prove it in. */
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

/** Tests that fail in the agent's sandbox too are the fault of no setup: `verification` tells of them. */
function statusOf(
  { setup, verify }: SetupProof,
  after: VerificationRun | null,
): RunSetup['status'] {
  if (setup.exitCode !== 0) return 'setup-failed';
  if (verify === null || verify.verdict === 'passed') return 'works';
  return after?.verdict === 'passed' ? 'tests-failed' : 'works';
}
