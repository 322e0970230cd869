import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { SessionSummary } from '@ship/protocol';
import { Inbox, Search } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { TextInput } from '../../ui/field.tsx';
import { Empty, FailureNote } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useNow } from '../../ui/use-now.ts';
import { SessionRow } from '../sessions/session-row.tsx';
import { needsYouQuery, recentQuery } from './session-lists.ts';

export function Recent() {
  const [search, setSearch] = useState('');
  const q = useDeferredValue(search.trim());
  const list = useInfiniteQuery({ ...recentQuery(q), placeholderData: keepPreviousData });
  const nowMs = useNow();
  const waiting = useInfiniteQuery(needsYouQuery).data?.pages.flatMap((page) => page.sessions);
  // The list above shows these already; a search covers everything.
  const isAbove = ({ sessionId }: SessionSummary) =>
    q === '' && waiting?.some((one) => one.sessionId === sessionId) === true;
  const found = list.data?.pages.flatMap((page) => page.sessions);
  const sessions = found?.filter((session) => !isAbove(session));
  return (
    <section aria-labelledby="recent">
      <div className="mb-2 flex items-center justify-between gap-4">
        <h2 id="recent" className="text-sm font-medium">
          Recent
        </h2>
        <div className="relative w-56">
          <Search
            aria-hidden
            className="pointer-events-none absolute top-1/2 left-2.5 size-3.5 -translate-y-1/2 text-faint"
          />
          <TextInput
            type="search"
            aria-label="Search sessions"
            placeholder="Search sessions"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
            className="pl-8"
          />
        </div>
      </div>
      {sessions === undefined && list.error !== null && (
        <FailureNote cause={list.error} onRetry={() => void list.refetch()} />
      )}
      {sessions === undefined && list.error === null && <RecentSkeleton />}
      {sessions?.length === 0 && (q !== '' || found?.length === 0) && (
        <Empty icon={Inbox} title={q === '' ? 'No sessions yet' : 'No matches'}>
          {q === ''
            ? 'Tasks that you hand off appear here with their live status.'
            : 'Search covers titles, repositories and branches.'}
        </Empty>
      )}
      {sessions?.length === 0 && q === '' && found !== undefined && found.length > 0 && (
        <p className="text-sm text-muted">No other sessions yet.</p>
      )}
      {sessions !== undefined && sessions.length > 0 && (
        <Card className="overflow-hidden">
          <ul className="divide-y divide-line">
            {sessions.map((session) => (
              <SessionRow key={session.sessionId} session={session} nowMs={nowMs} />
            ))}
          </ul>
        </Card>
      )}
      {list.hasNextPage && (
        <div className="mt-3 flex justify-center">
          <Button onClick={() => void list.fetchNextPage()} disabled={list.isFetchingNextPage}>
            {list.isFetchingNextPage ? 'Loading…' : 'Show more'}
          </Button>
        </div>
      )}
    </section>
  );
}

const RecentSkeleton = () => (
  <Card aria-busy className="divide-y divide-line">
    {['w-2/5', 'w-3/5', 'w-1/2'].map((width) => (
      <div key={width} className="space-y-2 px-4 py-4">
        <Skeleton className={`h-3.5 ${width}`} />
        <Skeleton className="h-3 w-1/4" />
      </div>
    ))}
  </Card>
);
