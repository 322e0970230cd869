import { useCallback, useMemo, useRef, useState } from 'react';
import type { Feed } from '../feed/feed-state.ts';
import { ItemList } from './items.ts';
import type { Item } from './items.ts';
import { rowsOf, withLive } from './rows.ts';
import type { Row } from './rows.ts';
import { placementOf } from './views/placement.ts';

/** Appends to the entries as the log grows; rebuilds them only if older pages are loaded or dropped. */
function useItems(feed: Feed): readonly Item[] {
  const kept = useRef<{ list: ItemList; firstSeq: number } | null>(null);
  return useMemo(() => {
    const firstSeq = feed.events[0]?.seq ?? 0;
    if (kept.current === null || kept.current.firstSeq !== firstSeq)
      kept.current = { list: new ItemList(placementOf), firstSeq };
    const { list } = kept.current;
    const known = list.newestSeq;
    list.add(known === 0 ? feed.events : feed.events.slice(Math.max(0, known - firstSeq + 1)));
    return list.items;
  }, [feed.events]);
}

export function useRows(feed: Feed): {
  readonly rows: readonly Row[];
  readonly toggleTurn: (turnId: string) => void;
} {
  const items = useItems(feed);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const toggleTurn = useCallback(
    (turnId: string) =>
      setOpened((before) => {
        const next = new Set(before);
        if (!next.delete(turnId)) next.add(turnId);
        return next;
      }),
    [],
  );
  const settled = useMemo(() => rowsOf(items, (turnId) => opened.has(turnId)), [items, opened]);
  // Tool output streams inside its own entry; streaming text has no entry until it is finished.
  const liveIds = [...feed.live.values()]
    .filter(({ field }) => field !== 'output')
    .map(({ partId }) => partId)
    .join('\n');
  const rows = useMemo(
    () => withLive(settled, liveIds === '' ? [] : liveIds.split('\n')),
    [settled, liveIds],
  );
  return { rows, toggleTurn };
}
