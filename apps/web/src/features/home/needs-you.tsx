import { useInfiniteQuery } from '@tanstack/react-query';
import { Card } from '../../ui/card.tsx';
import { useNow } from '../../ui/use-now.ts';
import { SessionRow } from '../sessions/session-row.tsx';
import { needsYouQuery } from './session-lists.ts';

/** Hidden if nothing waits: an empty box would ask for attention too. */
export function NeedsYou() {
  const { data } = useInfiniteQuery(needsYouQuery);
  const nowMs = useNow();
  const sessions = data?.pages.flatMap((page) => page.sessions) ?? [];
  if (sessions.length === 0) return null;
  return (
    <section aria-labelledby="needs-you">
      <h2 id="needs-you" className="mb-2 flex items-center gap-2 text-sm font-medium">
        Needs attention
        <span className="rounded-full bg-warn-soft px-2 text-xs leading-5 text-warn tabular-nums">
          {sessions.length}
          {data?.pages.at(-1)?.nextCursor === null ? '' : '+'}
        </span>
      </h2>
      <Card className="overflow-hidden">
        <ul className="divide-y divide-line">
          {sessions.map((session) => (
            <SessionRow key={session.sessionId} session={session} nowMs={nowMs} />
          ))}
        </ul>
      </Card>
    </section>
  );
}
