import type { Prompt, SessionId } from '@ship/protocol';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { setPageTitle } from '../notifications/page-title.ts';
import type { LinkState } from '../../live/reconnecting-socket.ts';
import { BootChecklist } from './boot/boot-checklist.tsx';
import { isBooting } from './boot/stages.ts';
import { Composer } from './composer/composer.tsx';
import { Drawer } from './drawer/drawer.tsx';
import { panes } from './drawer/panes.ts';
import { oldestSeq } from './feed/feed-state.ts';
import type { Feed } from './feed/feed-state.ts';
import { SessionHeader } from './header/session-header.tsx';
import { LinkBanner } from './link-banner.tsx';
import { promptsOf } from './prompts.ts';
import { SessionContext } from './session-context.ts';
import { Timeline } from './timeline/timeline.tsx';
import { useRows } from './timeline/use-rows.ts';
import { useSessionActions } from './use-session-actions.ts';
import { useSessionKeys } from './use-session-keys.ts';
import { isTurnRunning } from './activity.ts';

interface SessionScreenProps {
  readonly sessionId: SessionId;
  readonly feed: Feed;
  readonly link: LinkState;
  readonly isLoadingOlder: boolean;
  readonly onOlder: () => void;
  readonly onAtEnd: (isAtEnd: boolean) => void;
  readonly onReconnect: () => void;
}

export function SessionScreen(props: SessionScreenProps) {
  const { sessionId, feed, link, isLoadingOlder, onOlder, onAtEnd, onReconnect } = props;
  const { state } = feed;
  const actions = useSessionActions(sessionId);
  const { rows, toggleTurn } = useRows(feed);
  const drawer = useDrawer();
  const known = useMemo(() => promptsOf(feed.events), [feed.events]);
  const scope = useMemo(() => {
    const current: readonly Prompt[] = [
      ...state.queue,
      ...(state.current === null ? [] : [state.current]),
    ];
    const promptOf = (promptId: string) =>
      known.get(promptId) ?? current.find((prompt) => prompt.promptId === promptId);
    return { sessionId, state, actions, promptOf };
  }, [sessionId, state, actions, known]);
  const footer = useMemo(
    () => (isBooting(state) ? <BootChecklist state={state} /> : null),
    [state],
  );
  const canStop = isTurnRunning(state);
  const stop = actions.stop;
  useSessionKeys({
    onPane: drawer.open,
    onFull: drawer.toggleFull,
    onClose: drawer.close,
    onStop: useCallback(() => {
      if (canStop) stop();
    }, [canStop, stop]),
  });
  useEffect(() => setPageTitle(state.title), [state.title]);
  return (
    <SessionContext value={scope}>
      <div className="flex min-h-0 flex-1 max-md:-mb-[1.4rem] max-md:h-[calc(100dvh-6.85rem)] max-md:flex-none">
        <div className="flex min-w-0 flex-1 flex-col">
          <SessionHeader
            watchers={feed.watchers}
            isDrawerOpen={drawer.paneId !== undefined}
            onDrawer={drawer.toggle}
          />
          <LinkBanner link={link} onReconnect={onReconnect} />
          <Timeline
            rows={rows}
            hasOlder={oldestSeq(feed) > 1}
            isLoadingOlder={isLoadingOlder}
            onOlder={onOlder}
            onAtEnd={onAtEnd}
            onToggleTurn={toggleTurn}
            footer={footer}
          />
          <Composer />
        </div>
        {drawer.paneId !== undefined && (
          <Drawer
            feed={feed}
            paneId={drawer.paneId}
            isFull={drawer.isFull}
            onPane={drawer.open}
            onFull={drawer.setIsFull}
            onClose={drawer.close}
          />
        )}
      </div>
    </SessionContext>
  );
}

/** The open pane is in the URL, so links lead to it. */
function useDrawer() {
  const navigate = useNavigate();
  const { pane } = useSearch({ from: '/sessions/$sessionId' });
  const [isFull, setIsFull] = useState(false);
  const paneId = panes.find(({ id }) => id === pane)?.id;
  const go = useCallback(
    (next: string | undefined) =>
      void navigate({ to: '.', search: next === undefined ? {} : { pane: next }, replace: true }),
    [navigate],
  );
  const open = useCallback((next: string) => go(next), [go]);
  const close = useCallback(() => {
    setIsFull(false);
    go(undefined);
  }, [go]);
  const toggleFull = useCallback(() => setIsFull((before) => !before), []);
  const toggle = useCallback(
    () => (paneId === undefined ? go(panes[0]?.id) : close()),
    [paneId, go, close],
  );
  return { paneId, isFull, setIsFull, open, close, toggle, toggleFull };
}
