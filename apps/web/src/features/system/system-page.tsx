import { Card } from '../../ui/card.tsx';
import { cx } from 'class-variance-authority';
import { formatAgo, formatDuration } from '../../ui/duration.ts';
import { Page } from '../../ui/page.tsx';
import { ToneBadge } from '../../ui/tone.tsx';
import { useNow } from '../../ui/use-now.ts';
import { Facts } from '../../ui/facts.tsx';
import { lastSeen, serverNowMs } from './link.ts';
import type { Link } from './link.ts';
import { PartsTable } from './parts-table.tsx';
import { startedAtMs, summarize } from './summary.ts';
import { SystemSkeleton } from './system-skeleton.tsx';
import { useLink } from './use-link.ts';

const NoStatus = () => (
  <p className="rounded-xl border border-dashed border-line-strong px-4 py-12 text-center text-sm text-muted">
    No status yet. The parts of the system appear here once the server answers.
  </p>
);

function SystemStatus({ link }: { readonly link: Link }) {
  const nowMs = useNow();
  const seen = lastSeen(link);
  if (seen === null) return <NoStatus />;
  const { health, atMs } = seen;
  const isStale = link.kind === 'lost';
  // Stop counting ages while the server is unreachable.
  const clockMs = isStale ? Date.parse(health.now) : serverNowMs(seen, nowMs);
  const started = startedAtMs(health.parts);
  const facts = [
    { label: 'Version', value: health.version },
    { label: 'Protocol', value: health.protocolVersion },
    {
      label: 'Started',
      value:
        started === null ? (
          'Unknown'
        ) : (
          <time
            dateTime={new Date(started).toISOString()}
            title={new Date(started).toLocaleString()}
          >
            {formatDuration(clockMs - started)} ago
          </time>
        ),
    },
    {
      label: isStale ? 'As of' : 'Checked',
      value: isStale ? new Date(atMs).toLocaleTimeString() : formatAgo(nowMs - atMs),
    },
  ];
  return (
    <div className={cx('space-y-4 text-ink', isStale && 'stale')}>
      <Facts facts={facts} />
      <Card aria-labelledby="parts">
        <h2 id="parts" className="sr-only">
          Parts
        </h2>
        <PartsTable parts={health.parts} nowMs={clockMs} />
      </Card>
    </div>
  );
}

export function SystemPage() {
  const { data: link } = useLink();
  const { tone, title, text } = summarize(link);
  return (
    <Page title="System">
      <div className="mb-6 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div>
          <h1 className="text-xl font-semibold tracking-tight">System</h1>
          <p className="text-base text-muted">{text}</p>
        </div>
        <ToneBadge tone={tone}>{title}</ToneBadge>
      </div>
      {link === undefined ? <SystemSkeleton /> : <SystemStatus link={link} />}
    </Page>
  );
}
