import type { TestCounts, VerificationVerdict } from '@ship/protocol';
import { readTestReport } from './read-report.ts';

export interface CommandEnd {
  /** Null when it was cut off. */
  exitCode: number | null;
  output: string;
  /** It ran while something else ran in the same sandbox. */
  isBeside?: boolean;
}

/** Two runs side by side may want the same port: that says nothing of either. */
const PORT_TAKEN = /\bEADDRINUSE\b|[Aa]ddress already in use/;

export interface Judgement {
  verdict: VerificationVerdict;
  counts: TestCounts | null;
  failing: string[];
}

/** Shells say so when there is no such program, or when it may not be run. */
const CANNOT_RUN = new Set([126, 127]);

/** What programs say when what they need is not installed. Never a reason to call the work wrong. */
const MISSING = [
  /\bNo module named '?(pytest|unittest|tox|nox|hypothesis)\b/,
  /^make: .*\bError 12[67]$/m,
  /^(sh|bash|env|\/bin\/\w+): .*: (command )?not found$/m,
  /^error: no such command: `/m,
  /\b(ENOTFOUND|EAI_AGAIN|Could not resolve host|Temporary failure in name resolution)\b/,
  /^go: .*(dial tcp|no such host|Forbidden|proxyconnect)/m,
];

/** What came of the command. The exit code decides; the output only says more, or that nothing could be run. */
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
