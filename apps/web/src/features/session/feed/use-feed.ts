import type { SessionId } from '@ship/protocol';
import { createContext, use, useEffect, useState, useSyncExternalStore } from 'react';
import { SessionFeed } from './session-feed.ts';
import type { FeedSnapshot } from './session-feed.ts';
import type { LivePart } from './live-parts.ts';

/** Opens the session's feed for as long as its page is shown. */
export function useFeed(sessionId: SessionId): { snapshot: FeedSnapshot; feed: SessionFeed } {
  const [feed, setFeed] = useState(() => new SessionFeed(sessionId));
  useEffect(() => {
    const opened = new SessionFeed(sessionId);
    setFeed(opened);
    void opened.open();
    const hurry = () => {
      if (document.visibilityState === 'visible') opened.hurry();
    };
    addEventListener('online', hurry);
    document.addEventListener('visibilitychange', hurry);
    return () => {
      removeEventListener('online', hurry);
      document.removeEventListener('visibilitychange', hurry);
      opened.close();
    };
  }, [sessionId]);
  return { snapshot: useSyncExternalStore(feed.subscribe, feed.get), feed };
}

/** For views deep in the timeline that follow what streams. */
export const FeedContext = createContext<SessionFeed | null>(null);

/** What streams of one part; only views of parts that stream are drawn again for it. */
export function useLivePart(partId: string): LivePart | undefined {
  const feed = use(FeedContext);
  return useSyncExternalStore(feed?.subscribeLive ?? never, () => feed?.livePart(partId));
}

export const useLiveText = (partId: string): string | undefined => useLivePart(partId)?.text;

const never = () => () => undefined;
