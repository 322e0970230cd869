import { SKIP_REASONS } from '@ship/core';
import type { TestCounts } from '@ship/protocol';
import { actionLines } from '../action-lines.ts';
import { type Server, lastingUrl } from '../client/with-server.ts';
import { duration, money, oneLine, tokens } from '../progress/text.ts';
import { type RunResult, exitCodeOf } from '../result/result.ts';

/** The shell's exit code after Ctrl-C. */
const LEFT_EXIT_CODE = 130;

const WORDS = {
  done: 'done',
  failed: 'failed',
  stopped: 'stopped',
  'needs-you': 'needs you',
  working: 'working',
} as const;

interface FinishOptions {
  allowFailingTests?: boolean;
  /** The task was to write a setup: report a result without one. */
  isSetupExpected?: boolean;
}

/** Prints the result and sets the exit code. */
export function finish(
  result: RunResult | undefined,
  json: boolean,
  server: Server,
  { allowFailingTests = false, ...options }: FinishOptions = {},
): void {
  if (result === undefined) {
    process.exitCode = LEFT_EXIT_CODE;
    return;
  }
  process.exitCode = exitCodeOf(result, allowFailingTests);
  const text = json
    ? JSON.stringify(result)
    : describeResult(result, lastingUrl(server), options).join('\n');
  process.stdout.write(`${text}\n`);
}

/** `pageUrl` is null when the server ends with the command. */
export function describeResult(
  result: RunResult,
  pageUrl: string | null,
  { isSetupExpected = false }: Pick<FinishOptions, 'isSetupExpected'> = {},
): string[] {
  const { status, sessionId, branch, base, commits, pullRequest, leftOut, cost, timings, error } =
    result;
  const tests = testsLine(result);
  const used = cost.inputTokens + cost.outputTokens;
  return [
    `${WORDS[status]} in ${duration(timings.totalMs)}  ${sessionId}`,
    ...(error === null
      ? []
      : [
          `  ${error.message}`,
          ...[error.remedy, ...actionLines(error, pageUrl)].map((line) => `  → ${line}`),
        ]),
    ...(branch === null
      ? []
      : [`  branch        ${branch}${base === null ? '' : ` (from ${base})`}`]),
    ...commits.map(
      ({ sha, message }) => `  commit        ${sha.slice(0, 9)} ${oneLine(message, 100)}`,
    ),
    ...(pullRequest === null
      ? []
      : [
          `  pull request  #${pullRequest.number} ${pullRequest.draft ? '(draft) ' : ''}${pullRequest.url}`,
        ]),
    ...leftOut.map(
      ({ path, reason }) => `  left out      ${oneLine(path, 200)}: ${SKIP_REASONS[reason]}`,
    ),
    ...(tests === null ? [] : [`  tests         ${tests}`]),
    ...setupLines(result, pageUrl, isSetupExpected),
    ...(used === 0
      ? []
      : [
          `  cost          ${money(cost.usd)}, ${tokens(cost.inputTokens)} in, ${tokens(cost.outputTokens)} out`,
        ]),
  ];
}

function setupLines(
  { setup, status, sessionId }: RunResult,
  pageUrl: string | null,
  isSetupExpected: boolean,
): string[] {
  const label = '  setup         ';
  if (setup === null) {
    const isMissing = isSetupExpected && status === 'done';
    const why = 'not checked: the branch changes nothing in .ship, or no sandbox was available';
    return isMissing ? [`${label}${why}`] : [];
  }
  const code = setup.exitCode === null ? 'did not end in time' : `exit code ${setup.exitCode}`;
  const verdict = {
    works: 'works in a clean sandbox',
    'setup-failed': `fails in a clean sandbox (${code})`,
    'tests-failed': `works in a clean sandbox, but ${oneLine(setup.verify?.command ?? 'the tests', 80)} fails there`,
  }[setup.status];
  const line = `${label}${verdict}  ${oneLine(setup.command, 80)}`;
  if (setup.status === 'works') return [line];
  const path = `/sessions/${sessionId}`;
  const output = pageUrl === null ? `npm start, then open ${path}: it` : `${pageUrl}${path}`;
  return [
    line,
    `  → ${output} has its output; ship prompt ${sessionId} "…" tells the agent what is missing`,
  ];
}

function testsLine({ verification }: RunResult): string | null {
  if (verification === null) return null;
  const { command, before, after, isBrokenByWork, isStale } = verification;
  const verdicts = [before, after].flatMap((run) =>
    run === null ? [] : [`${run.verdict}${countsOf(run.counts)}`],
  );
  const cause = isBrokenByWork ? ' – broken by this work' : '';
  const stale = isStale ? ' – stale: the branch has a newer commit' : '';
  return `${verdicts.join(' → ')}${cause}${stale}  ${oneLine(command, 80)}`;
}

function countsOf(counts: TestCounts | null): string {
  return counts === null ? '' : ` (${counts.passed}/${counts.passed + counts.failed})`;
}
