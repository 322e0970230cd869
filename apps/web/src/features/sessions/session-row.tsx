import { Link } from '@tanstack/react-router';
import type { SessionSummary } from '@ship/protocol';
import { formatAgo } from '../../ui/duration.ts';
import { repositoryName } from '../../ui/format.ts';
import { ToneGlyph } from '../../ui/tone.tsx';
import { SessionFacts } from './session-facts.tsx';
import { presentStatus } from './status.ts';

interface SessionRowProps {
  readonly session: SessionSummary;
  readonly nowMs: number;
}

export function SessionRow({ session, nowMs }: SessionRowProps) {
  const { label, tone } = presentStatus(session);
  const { sessionId, title, repository, statusDetail, updatedAt } = session;
  return (
    <li className="relative flex items-start gap-3 px-4 py-3 transition-colors hover:bg-hover">
      <ToneGlyph tone={tone} className="mt-1" />
      <div className="min-w-0 flex-1">
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId }}
          className="block truncate font-medium after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:rounded-lg focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
        >
          {title}
        </Link>
        <p className="truncate text-sm text-muted">
          <span className="text-ink">{label}</span>
          {statusDetail === null ? '' : `: ${statusDetail}`}
        </p>
        <div className="mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-0.5 text-xs text-muted">
          <span className="max-w-full truncate sm:max-w-88">{repositoryName(repository)}</span>
          <SessionFacts session={session} />
        </div>
      </div>
      <time
        dateTime={new Date(updatedAt).toISOString()}
        className="mt-0.5 text-xs whitespace-nowrap text-muted tabular-nums"
      >
        {formatAgo(nowMs - updatedAt)}
      </time>
    </li>
  );
}
