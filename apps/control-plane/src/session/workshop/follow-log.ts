import { withoutEscapes } from '@ship/core';
import { logOf } from './logged-command.ts';
import type { CommandPlace } from './parts.ts';

/** Each look is a command in the sandbox: often enough to see progress, seldom enough to cost nothing. */
const LOOK_MS = 1_500;
/** Of one look: what a command prints faster than that is in its log. */
const MAX_LOOK_BYTES = 16_000;
const LOOK_TIMEOUT_MS = 10_000;

const READ = `size=$(stat -c %s "$1" 2>/dev/null) || exit 0
start=$2
if [ $((size - start)) -gt ${MAX_LOOK_BYTES} ]; then start=$((size - ${MAX_LOOK_BYTES})); fi
printf '%s\\n' "$size"
tail -c "+$((start + 1))" "$1" | head -c "$((size - start))"`;

/** Passes on what a command that \`runLogged\` runs has printed since the last look. Answers with what ends it. */
export function followLog(
  { port, sandboxId, mask }: CommandPlace,
  name: string,
  onText: (text: string) => void,
): () => void {
  const masked = mask.stream();
  let isOver = false;
  let seenBytes = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = async () => {
    const argv = ['bash', '-c', READ, 'ship', logOf(name), String(seenBytes)] as const;
    const { stdout } = await port.run(sandboxId, { argv, timeoutMs: LOOK_TIMEOUT_MS });
    const [size = ''] = stdout.split('\n', 1);
    const text = masked.push(withoutEscapes(stdout.slice(size.length + 1)));
    seenBytes = Number(size) || seenBytes;
    if (!isOver && text !== '') onText(text);
  };
  // A look that fails shows nothing; the whole output is read when the command has ended.
  const next = () => {
    timer = setTimeout(() => {
      void look()
        .catch(() => undefined)
        .finally(() => isOver || next());
    }, LOOK_MS);
  };
  next();
  return () => {
    isOver = true;
    if (timer !== undefined) clearTimeout(timer);
  };
}
