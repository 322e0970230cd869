import { cx } from 'class-variance-authority';
import { Maximize2, Minimize2, X } from 'lucide-react';
import { Suspense, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import type { Feed } from '../feed/feed-state.ts';
import { panes } from './panes.ts';
import { ResizeHandle } from './resize-handle.tsx';
import { useDrawerWidth } from './use-drawer-width.ts';

interface DrawerProps {
  readonly feed: Feed;
  readonly paneId: string;
  readonly isFull: boolean;
  readonly onPane: (paneId: string) => void;
  readonly onFull: (isFull: boolean) => void;
  readonly onClose: () => void;
}

/** The panel beside the conversation, or full screen. A pane mounts when first opened and then stays mounted. */
export function Drawer({ feed, paneId, isFull, onPane, onFull, onClose }: DrawerProps) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set([paneId]));
  const { width, setWidth } = useDrawerWidth();
  if (!opened.has(paneId)) setOpened(new Set([...opened, paneId]));
  return (
    <aside
      aria-label="Drawer"
      className={cx(
        'flex min-h-0 flex-col bg-canvas',
        isFull
          ? 'fixed inset-0 z-40'
          : 'relative border-l border-line max-xl:fixed max-xl:inset-0 max-xl:z-40 max-xl:w-auto! max-xl:border-0',
      )}
      style={isFull ? undefined : { width }}
    >
      {!isFull && <ResizeHandle width={width} onWidth={setWidth} />}
      <div className="@container flex h-11 shrink-0 items-center gap-1 border-b border-line px-2">
        <div
          role="tablist"
          aria-label="Panes"
          className="flex min-w-0 flex-1 gap-0.5 overflow-x-auto"
        >
          {panes.map(({ id, label, icon: Icon, keys }) => (
            <button
              key={id}
              type="button"
              role="tab"
              id={`tab-${id}`}
              aria-selected={id === paneId}
              aria-controls={`pane-${id}`}
              aria-keyshortcuts={keys}
              title={`${label} (${keys})`}
              onClick={() => onPane(id)}
              className="flex h-8 items-center gap-1.5 rounded-md px-2.5 text-sm text-muted hover:bg-hover hover:text-ink aria-selected:bg-hover aria-selected:text-ink"
            >
              <Icon aria-hidden className="size-3.5 shrink-0" />
              {/* Six labels do not fit most drawers: then only the open pane shows its label. */}
              <span className={id === paneId ? '' : '@max-[36rem]:sr-only'}>{label}</span>
            </button>
          ))}
        </div>
        <Button
          variant="ghost"
          size="icon"
          className="max-xl:hidden"
          aria-label={isFull ? 'Exit full screen' : 'Full screen'}
          title={isFull ? 'Exit full screen (f)' : 'Full screen (f)'}
          onClick={() => onFull(!isFull)}
        >
          {isFull ? <Minimize2 aria-hidden /> : <Maximize2 aria-hidden />}
        </Button>
        <Button
          variant="ghost"
          size="icon"
          aria-label="Close the drawer"
          title="Close the drawer (0)"
          onClick={onClose}
        >
          <X aria-hidden />
        </Button>
      </div>
      {panes
        .filter(({ id }) => opened.has(id))
        .map(({ id, View }) => (
          <div
            key={id}
            role="tabpanel"
            id={`pane-${id}`}
            aria-labelledby={`tab-${id}`}
            hidden={id !== paneId}
            className="min-h-0 flex-1 not-[[hidden]]:flex not-[[hidden]]:flex-col"
          >
            <Suspense fallback={<p className="p-4 text-sm text-muted">Loading…</p>}>
              <View feed={feed} isShown={id === paneId} />
            </Suspense>
          </div>
        ))}
    </aside>
  );
}
