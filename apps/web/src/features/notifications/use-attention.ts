import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { SessionSummary } from '@ship/protocol';
import { useEffect, useRef } from 'react';
import { needsYouQuery } from '../home/session-lists.ts';
import { presentStatus } from '../sessions/status.ts';
import { arrivals } from './arrivals.ts';
import { setWaiting } from './page-title.ts';
import { notifyPreference } from './preference.ts';

/** Counts what waits in the tab's title and, when the page is out of sight and the user wished it, says so. */
export function useAttention(): void {
  const navigate = useNavigate();
  const { data } = useInfiniteQuery(needsYouQuery);
  const before = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    if (data === undefined) return;
    const waiting = data.pages.flatMap((page) => page.sessions);
    setWaiting(waiting.length);
    const isWanted = notifyPreference.get() === 'on' && document.visibilityState === 'hidden';
    for (const session of isWanted ? arrivals(before.current, waiting) : [])
      notify(
        session,
        () =>
          void navigate({ to: '/sessions/$sessionId', params: { sessionId: session.sessionId } }),
      );
    before.current = new Set(waiting.map(({ sessionId }) => sessionId));
  }, [data, navigate]);
}

function notify(session: SessionSummary, open: () => void): void {
  if (!('Notification' in window) || Notification.permission !== 'granted') return;
  const shown = new Notification(session.title, {
    body: presentStatus(session).label,
    tag: session.sessionId,
    icon: '/favicon.svg',
  });
  shown.addEventListener('click', () => {
    window.focus();
    open();
    shown.close();
  });
}
