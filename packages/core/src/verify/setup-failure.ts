export interface FailedSetup {
  /** Null when the setup was killed. */
  exitCode: number | null;
  /** The setup was killed because it printed too much, not because it took too long. */
  isTooLong: boolean;
  output: string;
}

const MAX_SHOWN = 1_500;
const MAX_MESSAGE = 2_000;

/** The message about a failed setup; `link` leads to its whole output. */
export function setupFailureMessage(
  { exitCode, isTooLong, output }: FailedSetup,
  link: string | null,
  timeoutMs: number,
): string {
  const what = isTooLong
    ? 'printed too much and was stopped'
    : exitCode === null
      ? `did not end within ${timeoutMs / 60_000} minutes`
      : `ended with exit code ${exitCode}`;
  const all = link === null ? '' : ` All of its output: ${link}.`;
  const shown = output.trim().slice(-MAX_SHOWN);
  const end = shown === '' ? ' It printed nothing.' : ` It ends with: ${shown}`;
  return `The setup of the repository ${what}.${all}${end}`.slice(0, MAX_MESSAGE);
}
