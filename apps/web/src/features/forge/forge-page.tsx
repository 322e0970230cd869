import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, Navigate, useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { sessionsQuery } from '../../data/queries.ts';
import { buttonStyles } from '../../ui/button.tsx';
import { FailureNote } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

const searched = sessionsQuery({ limit: 200 });

/** Redirects the address of a pull request at the local forge to its session. */
export function ForgePage() {
  const { pathname } = useLocation();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } =
    useInfiniteQuery(searched);
  const made = data?.pages
    .flatMap((page) => page.sessions)
    .find(({ pullRequest }) => URL.parse(pullRequest?.url ?? '')?.pathname === pathname);
  const mustLoadMore = made === undefined && hasNextPage && !isFetchingNextPage;
  useEffect(() => {
    if (mustLoadMore) void fetchNextPage();
  }, [mustLoadMore, fetchNextPage]);
  if (made !== undefined)
    return (
      <Navigate to="/sessions/$sessionId/review" params={{ sessionId: made.sessionId }} replace />
    );
  if (error !== null && data === undefined)
    return (
      <Page title="Pull request">
        <h1 className="sr-only">Pull request</h1>
        <FailureNote cause={error} onRetry={() => void refetch()} />
      </Page>
    );
  if (data === undefined || hasNextPage)
    return (
      <Page title="Pull request">
        <h1 className="sr-only">Pull request</h1>
        <Skeleton className="h-40 rounded-xl" />
      </Page>
    );
  return (
    <Page title="Pull request">
      <h1 className="text-xl font-semibold tracking-tight">No session for this pull request</h1>
      <p className="mt-1 mb-5 max-w-prose text-muted">
        Its session may have been deleted. The branch is still in the repository.
      </p>
      <Link to="/" className={buttonStyles()}>
        Go to Home
      </Link>
    </Page>
  );
}
