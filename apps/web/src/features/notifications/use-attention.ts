import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { SessionSummary } from '@ship/protocol';
import { useEffect, useRef } from 'react';
import { needsYouQuery } from '../home/session-lists.ts';
import { presentStatus } from '../sessions/status.ts';
import { arrivals } from './arrivals.ts';
import { setWaiting } from './page-title.ts';
import { notifyPreference } from './preference.ts';

/** Shows the number of waiting sessions in the tab title and, if enabled, notifies while the page is hidden. */
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
