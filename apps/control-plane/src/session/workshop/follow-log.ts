import { withoutEscapes } from '@ship/core';
import { logOf } from './logged-command.ts';
import type { CommandPlace } from './parts.ts';

/** Each poll is a command in the sandbox: often enough to show progress, seldom enough to be cheap. */
const POLL_INTERVAL_MS = 1_500;
/** Per poll; output beyond that is in the log only. */
const MAX_POLL_BYTES = 16_000;
const POLL_TIMEOUT_MS = 10_000;

const READ = `size=$(stat -c %s "$1" 2>/dev/null) || exit 0
start=$2
if [ $((size - start)) -gt ${MAX_POLL_BYTES} ]; then start=$((size - ${MAX_POLL_BYTES})); fi
printf '%s\\n' "$size"
tail -c "+$((start + 1))" "$1" | head -c "$((size - start))"`;

/** Passes on what a command of `runLogged` has printed since the last poll. Returns the function that stops it. */
export function followLog(
  { port, sandboxId, mask }: CommandPlace,
  name: string,
  onText: (text: string) => void,
): () => void {
  const masked = mask.stream();
  let isStopped = false;
  let seenBytes = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const poll = async () => {
    const argv = ['bash', '-c', READ, 'ship', logOf(name), String(seenBytes)] as const;
    const { stdout } = await port.run(sandboxId, { argv, timeoutMs: POLL_TIMEOUT_MS });
    const [size = ''] = stdout.split('\n', 1);
    const text = masked.push(withoutEscapes(stdout.slice(size.length + 1)));
    seenBytes = Number(size) || seenBytes;
    if (!isStopped && text !== '') onText(text);
  };
  // A failed poll shows nothing; the whole output is read when the command has ended.
  const next = () => {
    timer = setTimeout(() => {
      void poll()
        .catch(() => undefined)
        .finally(() => isStopped || next());
    }, POLL_INTERVAL_MS);
  };
  next();
  return () => {
    isStopped = true;
    if (timer !== undefined) clearTimeout(timer);
  };
}
