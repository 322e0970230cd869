import { ignoreClosedOutput } from '../output.ts';

/** Resolves with the reason when this process is asked to end. */
export function untilSignalled(): Promise<string> {
  ignoreClosedOutput();
  return new Promise((tell) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => tell(signal));
  });
}
