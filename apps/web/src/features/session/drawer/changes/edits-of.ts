import { knownEvent } from '@ship/protocol';
import type { DurableEnvelope } from '@ship/protocol';

interface LoggedEdit {
  readonly seq: number;
  readonly paths: readonly string[];
  readonly diff: string;
}

/** The edits in the loaded part of the log, in order. */
export function editsOf(events: readonly DurableEnvelope[]): readonly LoggedEdit[] {
  return events.flatMap((envelope) => {
    const event = envelope.type === 'tool.finished' ? knownEvent(envelope) : undefined;
    if (event?.type !== 'tool.finished' || event.data.diff === '') return [];
    return [
      { seq: event.seq, paths: event.data.edits.map(({ path }) => path), diff: event.data.diff },
    ];
  });
}
