const MAX_REASON = 300;
const TELLING =
  /\b(err(or)?|fail(ed|ure)?|refused|denied|forbidden|not found|no such|cannot|could not|unable|timed? ?out)\b/i;
/** npm begins every line of a failure with it, also those that say nothing. */
const PREFIX = /^npm (error|ERR!)\s*/;
const EMPTY = /complete log of this run|^\s*at |^error: subprocess-exited/i;

/** Why a command failed, in one line: the last one that speaks of an error, else the last one. */
export function failureReason(output: string, exitCode: number | null): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim().replace(PREFIX, ''))
    .filter((line) => line !== '' && !EMPTY.test(line));
  const line = lines.findLast((one) => TELLING.test(one)) ?? lines.at(-1);
  const end = exitCode === null ? 'did not end in time' : `exit code ${exitCode}`;
  return line === undefined ? end : `${line.slice(0, MAX_REASON)} (${end})`;
}
