const MAX_REASON = 300;
const ERROR_WORDS =
  /\b(err(or)?|fail(ed|ure)?|refused|denied|forbidden|not found|no such|cannot|could not|unable|timed? ?out)\b|\bERR_[A-Z]/i;
/** npm prefixes every line of a failure with it. */
const PREFIX = /^npm (error|ERR!)\s*/;
/** Lines that mention an error without its cause: advice, summaries, stack frames. */
const WITHOUT_CAUSE = new RegExp(
  [
    'complete log of this run',
    String.raw`^\s*at `,
    '^error: subprocess-exited',
    'likely not a problem with pip',
    'did not run successfully',
    'See above for output',
    'this error happened while installing',
    'no authorization header was set',
    'or you have no permission to fetch it',
    'failed with errors in',
    String.raw`^\[notice\]`,
  ].join('|'),
  'i',
);
/** pip first reports a broken connection, and last that a package has no version, which is then misleading. */
const BROKEN_CONNECTION = /connection broken by ['"]?(?<cause>.+?)['"]?: \/\S*$/i;
const NO_VERSION = /no matching distribution found|\(from versions: none\)/i;
/** The first line with such a code is the cause; the following lines are advice. */
const CODED = /^\W*(ERR_PNPM_\w+|YN(?!0000)\d{4}:.*\b(error|fail|cannot|could|not found))/i;

/** The reason why a command failed, in one line: its error code, else the last line with an error, else the last line. */
export function failureReason(output: string, exitCode: number | null): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim().replace(PREFIX, ''))
    .filter((line) => line !== '' && !WITHOUT_CAUSE.test(line));
  const line = lines.find((one) => CODED.test(one)) ?? lastErrorLine(lines) ?? lines.at(-1);
  const end = exitCode === null ? 'did not end in time' : `exit code ${exitCode}`;
  return line === undefined ? end : `${line.slice(0, MAX_REASON)} (${end})`;
}

function lastErrorLine(lines: readonly string[]): string | undefined {
  const last = lines.findLast((one) => ERROR_WORDS.test(one));
  if (last === undefined || !NO_VERSION.test(last)) return last;
  const broken = lines.findLast((one) => BROKEN_CONNECTION.test(one));
  const cause = broken === undefined ? undefined : BROKEN_CONNECTION.exec(broken)?.groups?.cause;
  return cause === undefined ? last : `The package index did not answer: ${cause}`;
}
