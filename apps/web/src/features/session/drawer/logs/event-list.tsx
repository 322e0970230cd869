import { useVirtualizer } from '@tanstack/react-virtual';
import type { DurableEnvelope } from '@ship/protocol';
import { useRef, useState } from 'react';
import { TextInput } from '../../../../ui/field.tsx';

/** The raw log, newest first; an entry expands to its data. */
export function EventList({ events }: { readonly events: readonly DurableEnvelope[] }) {
  const [filter, setFilter] = useState('');
  const [opened, setOpened] = useState<number | null>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const shown = events
    .filter(({ type }) => filter.trim() === '' || type.includes(filter.trim().toLowerCase()))
    .toReversed();
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 30,
    getItemKey: (index) => shown[index]?.seq ?? index,
    overscan: 10,
  });
  return (
    <>
      <div className="shrink-0 px-3 py-2">
        <TextInput
          type="search"
          aria-label="Filter events by type"
          placeholder="Filter by type, such as turn"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      </div>
      <div
        ref={scroller}
        role="region"
        aria-label="Events"
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto border-t border-line focus-visible:-outline-offset-2"
      >
        <ol className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ key, index, start }) => {
            const event = shown[index];
            if (event === undefined) return null;
            const isOpen = opened === event.seq;
            return (
              <li
                key={key}
                data-index={index}
                ref={virtual.measureElement}
                className="absolute inset-x-0 top-0 border-b border-line"
                style={{ transform: `translateY(${start}px)` }}
              >
                <button
                  type="button"
                  aria-expanded={isOpen}
                  onClick={() => setOpened(isOpen ? null : event.seq)}
                  className="flex h-7 w-full items-center gap-3 px-3 text-left font-mono text-xs hover:bg-hover"
                >
                  <span className="w-10 text-right text-faint tabular-nums">{event.seq}</span>
                  <span className="min-w-0 flex-1 truncate">{event.type}</span>
                  <span className="text-faint tabular-nums">
                    {new Date(event.at).toLocaleTimeString()}
                  </span>
                </button>
                {isOpen && (
                  <pre className="max-h-96 overflow-auto bg-rail px-3 py-2 font-mono text-xs break-words whitespace-pre-wrap">
                    {JSON.stringify(event.data, null, 2)}
                  </pre>
                )}
              </li>
            );
          })}
        </ol>
      </div>
    </>
  );
}
