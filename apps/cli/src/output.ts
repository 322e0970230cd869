/**
 * The reader of stdout can exit before Ship does: `ship ls | head -1`, or a killed program that started `ship up`. The next
 * write then fails with EPIPE (EIO on a closed terminal), which ends a process without an error listener with a stack trace.
 */
let onClosedOutput: () => void = () => process.exit();

export function handleClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE' || code === 'EIO') onClosedOutput();
    });
}

/** For servers: exiting on a failed log line would leave their sandboxes running. */
export function ignoreClosedOutput(): void {
  onClosedOutput = () => {};
}
