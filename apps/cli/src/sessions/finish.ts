import { SKIPPED_BECAUSE } from '@ship/core';
import type { TestCounts } from '@ship/protocol';
import { actionLines } from '../action-lines.ts';
import { type Server, lastingUrl } from '../client/with-server.ts';
import { duration, money, oneLine, tokens } from '../progress/text.ts';
import { type RunResult, exitCodeOf } from '../result/result.ts';

/** As a shell says of what was ended by Ctrl-C. */
const LEFT_EXIT_CODE = 130;

const WORDS = {
  done: 'done',
  failed: 'failed',
  stopped: 'stopped',
  'needs-you': 'it needs you',
  working: 'at work',
} as const;

/** Says how it ended and sets the exit code. */
export function finish(
  result: RunResult | undefined,
  json: boolean,
  server: Server,
  { allowFailingTests = false }: { allowFailingTests?: boolean } = {},
): void {
  if (result === undefined) {
    process.exitCode = LEFT_EXIT_CODE;
    return;
  }
  process.exitCode = exitCodeOf(result, allowFailingTests);
  const text = json
    ? JSON.stringify(result)
    : describeResult(result, lastingUrl(server)).join('\n');
  process.stdout.write(`${text}\n`);
}

/** `pageUrl` is null when the server ends with the command, and its address with it. */
export function describeResult(result: RunResult, pageUrl: string | null): string[] {
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
      ({ path, reason }) => `  left out      ${oneLine(path, 200)}: ${SKIPPED_BECAUSE[reason]}`,
    ),
    ...(tests === null ? [] : [`  tests         ${tests}`]),
    ...(used === 0
      ? []
      : [
          `  cost          ${money(cost.usd)}, ${tokens(cost.inputTokens)} in, ${tokens(cost.outputTokens)} out`,
        ]),
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
