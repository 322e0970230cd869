import type { DurableEvent } from '@ship/protocol';
import { duration, oneLine } from './text.ts';

const MAX_COMMAND = 80;

/** What the project's own tests say of the work, and how much that is worth. */
export function describeVerification(event: DurableEvent): string | undefined {
  switch (event.type) {
    case 'verification.finished': {
      const { phase, command, verdict, counts, durationMs } = event.data;
      const tests =
        counts === null ? '' : `, ${counts.passed} of ${counts.passed + counts.failed} tests pass`;
      const when = phase === 'before' ? 'before the work' : 'after the work';
      const words = verdict === 'timed-out' ? 'took too long' : verdict;
      return `${when}: ${oneLine(command, MAX_COMMAND)} ${words}${tests} (${duration(durationMs)})`;
    }
    case 'confidence.computed':
      return `confidence ${event.data.score} of 100`;
    default:
      return undefined;
  }
}
