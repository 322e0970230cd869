import { foreignFailure } from '../sandbox/failure.ts';
import { log } from './log.ts';

/** For work that a turn can do without: a failure is logged by its code, and everything else goes on. */
export async function quietly(what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const { code } = foreignFailure('sandbox', thrown);
    log('warn', `${what}.failed`, { code });
  }
}
