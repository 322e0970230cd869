import { withoutEscapes } from '@ship/core';
import type { ArtifactSink } from '../ingest/draft.ts';
import { REPOSITORY_FOLDER } from './git-work.ts';
import type { CommandPlace } from './parts.ts';

/** A command of the repository whose output is logged in the sandbox. */
export interface LoggedCommand {
  /** Also names the log: `verify-after` logs to `/tmp/ship-verify-after.log`. */
  name: string;
  command: string;
  limitMs: number;
  /** Whether to remove new files that git does not ignore: what tests leave behind is not part of the work. */
  isClean: boolean;
  /** Where it runs; by default the repository itself. */
  folder?: string | undefined;
  /** How much it may print before it is killed; by default 50 MB. */
  maxBytes?: number;
}

export interface LoggedOutcome {
  /** Null when it was killed. */
  exitCode: number | null;
  /** It was killed because it printed too much, not because it took too long. */
  isTooLong: boolean;
  durationMs: number;
  /** The end of the output. */
  output: string;
  outputBytes: number;
}

/** More than a person reads; an object's memory is small. */
const MAX_KEPT_BYTES = 5_000_000;
/** The limit for the log on the sandbox's disk; beyond it the command is killed. */
const MAX_LOG_BYTES = 50_000_000;
const GRACE_MS = 60_000;
const READ_TIMEOUT_MS = 60_000;
/** Exit codes of `timeout` when it had to end the command, gently or not. */
const CUT_OFF = new Set([124, 137]);

/** `CI` keeps test runners from watching for changes and from prompting. */
const ENVIRONMENT = { CI: 'true', PYTHONDONTWRITEBYTECODE: '1' };

/**
 * Writes the log through a pipe, so that both the log and the command end at the limit. A program that the command left running
 * keeps the pipe open and may go on printing: the wait for it is bounded.
 */
const RUN = `
log=$1 seconds=$2 command=$3 clean=$4 limit=$5
untracked() { git ls-files -o --exclude-standard -z 2>/dev/null | LC_ALL=C sort -z; }
[ "$clean" = yes ] && untracked >"$log.files"
rm -f "$log.pipe" && mkfifo "$log.pipe" || exit 1
{ stdbuf -o0 head -c "$limit" >"$log"
  [ "$(stat -c %s "$log")" -ge "$limit" ] && kill -TERM "$(cat "$log.pid")"
} <"$log.pipe" >/dev/null 2>&1 &
reader=$!
timeout --kill-after=5 "$seconds" bash -c "$command" >"$log.pipe" 2>&1 </dev/null &
echo $! >"$log.pid"
wait $!
code=$?
for _ in $(seq 40); do kill -0 "$reader" 2>/dev/null || break; sleep 0.02; done
rm -f "$log.pipe"
[ "$clean" = yes ] && untracked | LC_ALL=C comm -z -13 "$log.files" - | xargs -0 -r rm -f --
rm -f "$log.files" "$log.pid"
exit $code`;

const STOP = `[ -f "$1.pid" ] && kill -TERM "$(cat "$1.pid")"; true`;

export const logOf = (name: string) => `/tmp/ship-${name}.log`;

/** Runs a command of the repository in it. Any exit is an outcome; only an unreachable sandbox is an error. */
export async function runLogged(
  place: CommandPlace,
  { name, command: line, limitMs, isClean, folder, maxBytes = MAX_LOG_BYTES }: LoggedCommand,
): Promise<LoggedOutcome> {
  const { port, sandboxId, secrets, mask, environment } = place;
  const command =
    environment === undefined || environment === '' ? line : `${environment}\n${line}`;
  const startedAt = Date.now();
  const log = logOf(name);
  const seconds = String(Math.ceil(limitMs / 1000));
  const clean = isClean ? 'yes' : 'no';
  const { exitCode } = await port.run(sandboxId, {
    argv: ['bash', '-c', RUN, 'ship', log, seconds, command, clean, String(maxBytes)],
    cwd: folder ?? REPOSITORY_FOLDER,
    env: { ...secrets, ...ENVIRONMENT },
    timeoutMs: limitMs + GRACE_MS,
  });
  const durationMs = Date.now() - startedAt;
  const isCutOff = CUT_OFF.has(exitCode) && durationMs >= limitMs;
  const { stdout } = await port.run(sandboxId, {
    argv: ['bash', '-c', `stat -c %s "$1"; tail -c ${MAX_KEPT_BYTES} "$1"`, 'ship', log],
    timeoutMs: READ_TIMEOUT_MS,
  });
  const [size = '0'] = stdout.split('\n', 1);
  const outputBytes = Number(size) || 0;
  const isTooLong = outputBytes >= maxBytes;
  const note = isTooLong
    ? `\nShip ended the command: it printed more than ${maxBytes} bytes.\n`
    : '';
  return {
    exitCode: isCutOff || isTooLong ? null : exitCode,
    isTooLong,
    durationMs,
    // Before masking: an escape sequence in the middle of a secret would hide it from the mask.
    output: mask.text(withoutEscapes(stdout.slice(size.length + 1))) + note,
    outputBytes,
  };
}

/** Ends a command that `runLogged` runs, which then returns. */
export async function stopLogged({ port, sandboxId }: CommandPlace, name: string): Promise<void> {
  await port.run(sandboxId, {
    argv: ['bash', '-c', STOP, 'ship', logOf(name)],
    timeoutMs: READ_TIMEOUT_MS,
  });
}

/** Stores a whole output under a name. A failing store must not lose the command's result. */
export async function keepOutput(
  artifacts: ArtifactSink,
  name: string,
  output: string,
): Promise<string | null> {
  if (output === '') return null;
  return artifacts(name, new TextEncoder().encode(output)).catch(() => null);
}
