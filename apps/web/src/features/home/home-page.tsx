import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { repositoriesQuery } from '../../data/queries.ts';
import { Page } from '../../ui/page.tsx';
import { FirstRun } from './first-run.tsx';
import { NeedsYou } from './needs-you.tsx';
import { Recent } from './recent.tsx';
import { recentQuery } from './session-lists.ts';
import { TaskForm } from './task-form.tsx';

/** The task box first, then sessions that need attention, then all others. */
export function HomePage() {
  const repositories = useQuery(repositoriesQuery);
  const recent = useInfiniteQuery(recentQuery(''));
  const isFirstRun =
    repositories.data?.repositories.length === 0 && recent.data?.pages[0]?.sessions.length === 0;
  return (
    <Page title="Ship" className="max-w-[52rem]! space-y-8 md:space-y-10">
      <section aria-labelledby="hand-off">
        <h1
          id="hand-off"
          className="mb-4 text-xl font-semibold tracking-[-0.02em] text-balance sm:text-2xl md:text-center"
        >
          Hand off a task.{' '}
          <span className="text-muted max-sm:block">Get back a draft pull request.</span>
        </h1>
        <TaskForm />
      </section>
      {isFirstRun ? (
        <FirstRun />
      ) : (
        <>
          <NeedsYou />
          <Recent />
        </>
      )}
    </Page>
  );
}
