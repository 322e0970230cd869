import { useState } from 'react';
import { Choice } from '../../../../ui/choice.tsx';
import type { PaneProps } from '../panes.ts';
import { EgressLog } from './egress-log.tsx';
import { EventList } from './event-list.tsx';
import { TraceList } from './trace-list.tsx';

const parts = [
  { value: 'trace', label: 'Trace' },
  { value: 'events', label: 'Events' },
  { value: 'network', label: 'Network' },
] as const;

/** The trace, the raw log and the network log. */
export default function LogsPane({ feed, isShown }: PaneProps) {
  const [part, setPart] = useState<(typeof parts)[number]['value']>('trace');
  return (
    <>
      <div className="shrink-0 border-b border-line px-3 py-2">
        <Choice label="Log view" options={parts} value={part} onChange={setPart} />
      </div>
      {part === 'trace' && <TraceList state={feed.state} isShown={isShown} />}
      {part === 'events' && <EventList events={feed.events} />}
      {part === 'network' && <EgressLog sessionId={feed.state.sessionId} isShown={isShown} />}
    </>
  );
}
