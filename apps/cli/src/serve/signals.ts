import { ignoreClosedOutput } from '../output.ts';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Resolves with the first signal that asks this process to end. Later ones change nothing: Ctrl-C below npm arrives twice, from
 * the terminal and from npm, and the kernel sends the signal of a dead parent once for each of its threads. Without a listener
 * the second one would kill the process in the middle of its stop and leave its sandboxes running.
 */
export function untilSignalled(): Promise<string> {
  ignoreClosedOutput();
  return new Promise((resolve) => {
    for (const signal of STOP_SIGNALS) process.on(signal, () => resolve(signal));
  });
}
