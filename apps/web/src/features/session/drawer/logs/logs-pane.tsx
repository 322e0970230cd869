import { useState } from 'react';
import { Choice } from '../../../../ui/choice.tsx';
import type { PaneProps } from '../panes.ts';
import { EventList } from './event-list.tsx';
import { TraceList } from './trace-list.tsx';

const parts = [
  { value: 'trace', label: 'Trace' },
  { value: 'events', label: 'Events' },
] as const;

/** What the machine did: timed pieces of work, and the log itself. */
export default function LogsPane({ feed, isShown }: PaneProps) {
  const [part, setPart] = useState<'trace' | 'events'>('trace');
  return (
    <>
      <div className="shrink-0 border-b border-line px-3 py-2">
        <Choice label="Part of the logs" options={parts} value={part} onChange={setPart} />
      </div>
      {part === 'trace' ? (
        <TraceList state={feed.state} isShown={isShown} />
      ) : (
        <EventList events={feed.events} />
      )}
    </>
  );
}
