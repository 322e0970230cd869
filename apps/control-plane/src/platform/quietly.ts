import { foreignFailure } from '../sandbox/failure.ts';
import { log } from './log.ts';

/** Runs best-effort work: a failure is logged by its code and not thrown. */
export async function quietly(what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const { code } = foreignFailure('sandbox', thrown);
    log('warn', `${what}.failed`, { code });
  }
}
