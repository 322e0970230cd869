import type { TestCounts, VerificationVerdict } from '@ship/protocol';
import { readTestReport } from './read-report.ts';

export interface CommandEnd {
  /** Null when the command was killed. */
  exitCode: number | null;
  output: string;
  /** The command ran concurrently with another one in the same sandbox. */
  isBeside?: boolean;
}

/** Two concurrent runs may use the same port: that failure says nothing about the work. */
const PORT_TAKEN = /\bEADDRINUSE\b|[Aa]ddress already in use/;

export interface Judgement {
  verdict: VerificationVerdict;
  counts: TestCounts | null;
  failing: string[];
}

/** Exit codes of shells when a program does not exist or is not executable. */
const CANNOT_RUN = new Set([126, 127]);

/** Messages about missing dependencies or network. They must never count as a failing test. */
const MISSING = [
  /\bNo module named '?(pytest|unittest|tox|nox|hypothesis)\b/,
  /^make: .*\bError 12[67]$/m,
  /^(sh|bash|env|\/bin\/\w+): .*: (command )?not found$/m,
  /^error: no such command: `/m,
  /\b(ENOTFOUND|EAI_AGAIN|Could not resolve host|Temporary failure in name resolution)\b/,
  /^go: .*(dial tcp|no such host|Forbidden|proxyconnect)/m,
];

/** Judges a finished command. The exit code decides; the output adds details, or shows that nothing could run. */
export function judgeRun({ exitCode, output, isBeside = false }: CommandEnd): Judgement {
  const report = readTestReport(output);
  const counts = report?.counts ?? null;
  const failing = report?.failing ?? [];
  if (exitCode === null) return { verdict: 'timed-out', counts: null, failing: [] };
  if (exitCode === 0) return { verdict: 'passed', counts, failing: [] };
  if (isBeside && PORT_TAKEN.test(output))
    return { verdict: 'unavailable', counts: null, failing: [] };
  const ran = counts !== null && counts.passed + counts.failed > 0;
  const isMissing = MISSING.some((pattern) => pattern.test(output));
  if (!ran && failing.length === 0 && (CANNOT_RUN.has(exitCode) || isMissing))
    return { verdict: 'unavailable', counts: null, failing: [] };
  return { verdict: 'failed', counts, failing };
}
