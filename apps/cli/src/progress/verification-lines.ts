import type { CommandPurpose, DurableEvent } from '@ship/protocol';
import { duration, oneLine } from './text.ts';

const MAX_COMMAND = 80;
const MAX_REASON = 200;
const STARTED = {
  setup: 'setting up',
  'verify-before': 'testing before the work',
  'verify-after': 'testing the work',
  'setup-proof': 'testing the setup in a clean sandbox',
} as const;

export function startedCommand(data: { purpose: CommandPurpose; command: string }): string {
  return `${STARTED[data.purpose]}: ${oneLine(data.command, MAX_COMMAND)}`;
}

/** Lines about the repository's tests and the confidence score. */
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
    case 'command.started':
      return startedCommand(event.data);
    case 'confidence.computed':
      return `confidence ${event.data.score} of 100`;
    case 'confidence.withheld':
      return `not verified: ${oneLine(event.data.reason, MAX_REASON)}`;
    case 'new-tests.checked': {
      const { files, withoutChange } = event.data;
      const tests = files.length === 1 ? 'new test' : 'new tests';
      return withoutChange === 'unknown'
        ? undefined
        : `${tests} ${withoutChange} without the change: ${oneLine(files.join(', '), MAX_COMMAND)}`;
    }
    default:
      return undefined;
  }
}
