import { useQuery } from '@tanstack/react-query';
import type { SessionState, TraceSpan } from '@ship/protocol';
import { Timer } from 'lucide-react';
import { loadSessionApi } from '../../../../api/load.ts';
import { formatMs } from '../../../../ui/format.ts';
import { Empty, FailureNote } from '../../../../ui/notice.tsx';
import { Skeleton } from '../../../../ui/skeleton.tsx';
import { ToneGlyph } from '../../../../ui/tone.tsx';
import { bootRows, stageLabels } from '../../boot/stages.ts';

interface TraceListProps {
  readonly state: SessionState;
  readonly isShown: boolean;
}

/** Boot stages, then all spans, newest first. Refetched as the log grows. */
export function TraceList({ state, isShown }: TraceListProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['trace', state.sessionId, state.seq],
    queryFn: async ({ signal }) => (await loadSessionApi()).readTrace(state.sessionId, signal),
    enabled: isShown,
    placeholderData: (before) => before,
    staleTime: Infinity,
  });
  const stages = bootRows(state).filter(({ durationMs }) => durationMs !== null);
  return (
    <div className="min-h-0 flex-1 space-y-5 overflow-y-auto p-3">
      {stages.length > 0 && (
        <section aria-label="Stages">
          <h2 className="mb-1 text-xs text-muted">Stages</h2>
          <dl className="rounded-lg border border-line">
            {stages.map(({ stage, durationMs, error: failure }) => (
              <div key={stage} className="flex h-8 items-center gap-2 px-3 text-sm">
                <ToneGlyph tone={failure === null ? 'ok' : 'bad'} />
                <dt className="flex-1">{stageLabels[stage]}</dt>
                <dd className="text-muted tabular-nums">{formatMs(durationMs ?? 0)}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      {data === undefined && error === null && <Skeleton className="h-24 rounded-lg" />}
      {data === undefined && error !== null && (
        <FailureNote cause={error} onRetry={() => void refetch()} />
      )}
      {data?.spans.length === 0 && (
        <Empty icon={Timer} title="No trace yet">
          Each operation of this session appears here with its duration.
        </Empty>
      )}
      {data !== undefined && data.spans.length > 0 && <Spans spans={data.spans} />}
    </div>
  );
}

function Spans({ spans }: { readonly spans: readonly TraceSpan[] }) {
  const longest = Math.max(1, ...spans.map(({ durationMs }) => durationMs));
  return (
    <section aria-label="Trace">
      <h2 className="mb-1 text-xs text-muted">Trace, newest first</h2>
      <ol className="divide-y divide-line rounded-lg border border-line">
        {spans.toReversed().map((span) => (
          <li key={span.spanId} className="px-3 py-1.5 text-sm">
            <div className="flex items-center gap-2">
              <ToneGlyph tone={span.outcome === 'ok' ? 'ok' : 'bad'} />
              <span className="min-w-0 flex-1 truncate font-mono text-xs">{span.name}</span>
              <time
                dateTime={new Date(span.startedAt).toISOString()}
                className="text-xs text-faint tabular-nums"
              >
                {new Date(span.startedAt).toLocaleTimeString()}
              </time>
              <span className="w-16 text-right text-xs text-muted tabular-nums">
                {formatMs(span.durationMs)}
              </span>
            </div>
            <svg
              aria-hidden
              viewBox="0 0 100 1"
              preserveAspectRatio="none"
              className="mt-1 h-0.5 w-full"
            >
              <rect
                width={(span.durationMs / longest) * 100}
                height="1"
                className="fill-accent/60"
              />
            </svg>
            {span.detail !== null && (
              <p className="mt-1 text-xs break-words text-muted">{span.detail}</p>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
