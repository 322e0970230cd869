import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { memo, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { MouseEvent, ReactNode } from 'react';
import { Button } from '../../../ui/button.tsx';
import type { Row } from './rows.ts';
import { RowView } from './row-view.tsx';

interface TimelineProps {
  readonly rows: readonly Row[];
  readonly hasOlder: boolean;
  readonly isLoadingOlder: boolean;
  readonly onOlder: () => void;
  readonly onAtEnd: (isAtEnd: boolean) => void;
  readonly onToggleTurn: (turnId: string) => void;
  /** Rendered below the last entry. */
  readonly footer: ReactNode;
}

const endThresholdPx = 120;
/** Scrolling within this time after a user gesture counts as the user's. */
const gestureWindowMs = 1000;

/** A virtualized list. It follows the newest entry until the user scrolls up, and then keeps their position. */
export const Timeline = memo((props: TimelineProps) => {
  const { rows, hasOlder, isLoadingOlder, onOlder, onAtEnd, onToggleTurn, footer } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const isFollowing = useRef(true);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (rows[index]?.kind === 'item' ? 44 : 34),
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 8,
  });

  const scrollToEnd = useCallback(() => {
    const element = scroller.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  }, []);

  const updateFollowing = () => {
    const element = scroller.current;
    if (element === null) return;
    const restPx = element.scrollHeight - element.scrollTop - element.clientHeight;
    isFollowing.current = restPx < endThresholdPx;
    setIsAtEnd(isFollowing.current);
  };

  const topPx = useRef(0);
  const gestureAtMs = useRef(-Infinity);
  const onGesture = () => {
    gestureAtMs.current = performance.now();
  };
  const onScroll = () => {
    const element = scroller.current;
    if (element === null) return;
    // New entries, or dropped old ones, can look like an upward scroll; only a user gesture stops following.
    const isUpward = element.scrollTop < topPx.current;
    topPx.current = element.scrollTop;
    const isByUser = isUpward && performance.now() - gestureAtMs.current < gestureWindowMs;
    if (isByUser || !isFollowing.current) updateFollowing();
    if (element.scrollTop < 4 * endThresholdPx && hasOlder && !isLoadingOlder) onOlder();
  };

  // Expanding an entry must not move it out of view.
  const onClick = (event: MouseEvent) => {
    if (!(event.target instanceof Element) || event.target.closest('button, summary') === null)
      return;
    isFollowing.current = false;
    requestAnimationFrame(() => requestAnimationFrame(updateFollowing));
  };

  // While scrolling, which includes following the end, the virtualizer measures new entries only after the paint: until then they
  // would overlap.
  useLayoutEffect(() => {
    for (const entry of list.current?.children ?? [])
      if (entry instanceof HTMLElement)
        virtual.resizeItem(
          Number(entry.dataset['index']),
          Math.round(entry.getBoundingClientRect().height),
        );
  });

  // Entries added above must not move what the user reads.
  const firstKey = rows[0]?.key;
  const before = useRef({ firstKey, height: 0 });
  const height = virtual.getTotalSize();
  useLayoutEffect(() => {
    const element = scroller.current;
    const known = before.current;
    if (element !== null && known.firstKey !== firstKey && known.height > 0 && !isFollowing.current)
      element.scrollTop += height - known.height;
    before.current = { firstKey, height };
    if (isFollowing.current) scrollToEnd();
  });

  useEffect(() => onAtEnd(isAtEnd), [isAtEnd, onAtEnd]);

  // Collapsed turns are short: a page of them may not fill the screen, and a list that cannot scroll never loads more.
  useEffect(() => {
    const element = scroller.current;
    if (element === null || !hasOlder || isLoadingOlder || rows.length === 0) return;
    if (element.scrollHeight < element.clientHeight + endThresholdPx) onOlder();
  }, [rows.length, hasOlder, isLoadingOlder, onOlder]);

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    // Streaming text grows the last entry without adding one.
    const observer = new ResizeObserver(() => {
      if (isFollowing.current) scrollToEnd();
    });
    for (const child of element.children) observer.observe(child);
    observer.observe(element);
    return () => observer.disconnect();
  }, [scrollToEnd]);

  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        onScroll={onScroll}
        onWheel={onGesture}
        onTouchMove={onGesture}
        onPointerDown={onGesture}
        onKeyDown={onGesture}
        onClickCapture={onClick}
        role="region"
        aria-label="Timeline"
        tabIndex={0}
        className="h-full overflow-y-auto overscroll-contain px-4 focus-visible:-outline-offset-2 sm:px-6"
      >
        <div className="mx-auto w-full max-w-3xl pt-3 pb-4">
          {hasOlder && (
            <div className="flex justify-center py-1">
              <Button variant="ghost" onClick={onOlder} disabled={isLoadingOlder}>
                {isLoadingOlder ? 'Loading earlier entries…' : 'Show earlier entries'}
              </Button>
            </div>
          )}
          <ol ref={list} className="relative" style={{ height }}>
            {virtual.getVirtualItems().map(({ key, index, start }) => {
              const row = rows[index];
              return row === undefined ? null : (
                <li
                  key={key}
                  data-index={index}
                  ref={virtual.measureElement}
                  className="absolute inset-x-0 top-0"
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <RowView row={row} onToggleTurn={onToggleTurn} />
                </li>
              );
            })}
          </ol>
          {footer}
        </div>
      </div>
      {!isAtEnd && (
        <Button
          className="absolute bottom-3 left-1/2 -translate-x-1/2 shadow-dialog"
          onClick={() => {
            isFollowing.current = true;
            scrollToEnd();
          }}
        >
          <ArrowDown aria-hidden /> Jump to latest
        </Button>
      )}
    </div>
  );
});
