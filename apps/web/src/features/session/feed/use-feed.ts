import type { SessionId } from '@ship/protocol';
import { createContext, use, useEffect, useState, useSyncExternalStore } from 'react';
import { SessionFeed } from './session-feed.ts';
import type { FeedSnapshot } from './session-feed.ts';
import type { LivePart } from './live-parts.ts';

/** Opens the session's feed while its page is mounted. */
export function useFeed(sessionId: SessionId): { snapshot: FeedSnapshot; feed: SessionFeed } {
  const [feed, setFeed] = useState(() => new SessionFeed(sessionId));
  useEffect(() => {
    const opened = new SessionFeed(sessionId);
    setFeed(opened);
    void opened.open();
    const reconnectNow = () => {
      if (document.visibilityState === 'visible') opened.reconnectNow();
    };
    addEventListener('online', reconnectNow);
    document.addEventListener('visibilitychange', reconnectNow);
    return () => {
      removeEventListener('online', reconnectNow);
      document.removeEventListener('visibilitychange', reconnectNow);
      opened.close();
    };
  }, [sessionId]);
  return { snapshot: useSyncExternalStore(feed.subscribe, feed.get), feed };
}

/** For views in the timeline that follow streaming parts. */
export const FeedContext = createContext<SessionFeed | null>(null);

/** Follows one streaming part; only views of that part re-render. */
export function useLivePart(partId: string): LivePart | undefined {
  const feed = use(FeedContext);
  return useSyncExternalStore(feed?.subscribeLive ?? neverNotify, () => feed?.livePart(partId));
}

export const useLiveText = (partId: string): string | undefined => useLivePart(partId)?.text;

const neverNotify = () => () => undefined;
