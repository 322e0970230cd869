import { ignoreClosedOutput } from '../output.ts';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Resolves with the first termination signal and ignores later ones: below npm, Ctrl-C arrives twice, from the terminal and from
 * npm, and the kernel sends the signal of a dead parent once for each of its threads. Without a listener the second one would
 * kill the process during its shutdown and leave its sandboxes running.
 */
export function untilSignalled(): Promise<string> {
  ignoreClosedOutput();
  return new Promise((resolve) => {
    for (const signal of STOP_SIGNALS) process.on(signal, () => resolve(signal));
  });
}
