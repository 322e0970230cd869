import type { PartHealth } from '@ship/protocol';
import { formatDuration } from '../../ui/duration.ts';
import { ToneBadge } from '../../ui/tone.tsx';
import { partLabel, partRole, partTone, stateLabel } from './summary.ts';

const columns =
  '@2xl:grid @2xl:grid-cols-[minmax(0,1fr)_8rem_7rem_6rem] @2xl:items-center @2xl:gap-4';

function PartRow({ part, nowMs }: { readonly part: PartHealth; readonly nowMs: number }) {
  const sinceMs = Date.parse(part.since);
  const role = partRole(part.name);
  return (
    <div role="row" className={`relative px-4 py-3 ${columns}`}>
      <div role="rowheader" className="min-w-0">
        <p className="font-medium text-ink @max-2xl:pr-28">{partLabel(part.name)}</p>
        {role !== null && <p className="text-sm text-muted @max-2xl:pr-28">{role}</p>}
        {part.detail !== null && (
          <p className="mt-1 font-mono text-xs break-words text-muted">{part.detail}</p>
        )}
      </div>
      <div role="cell" className="@max-2xl:absolute @max-2xl:top-3 @max-2xl:right-4">
        <ToneBadge tone={partTone(part.state)}>{stateLabel(part.state)}</ToneBadge>
      </div>
      <div
        role="cell"
        className="text-sm text-muted tabular-nums @max-2xl:mt-1.5 @max-2xl:inline-block"
      >
        <span className="@2xl:hidden">For </span>
        <time dateTime={part.since} title={new Date(sinceMs).toLocaleString()}>
          {formatDuration(nowMs - sinceMs)}
        </time>
      </div>
      <div
        role="cell"
        className="text-sm text-muted tabular-nums @max-2xl:inline-block @2xl:text-right"
      >
        <span className="@2xl:hidden">, </span>
        {part.restarts}
        <span className="@2xl:sr-only"> {part.restarts === 1 ? 'restart' : 'restarts'}</span>
      </div>
    </div>
  );
}

interface PartsTableProps {
  readonly parts: readonly PartHealth[];
  readonly nowMs: number;
}

/** Grid roles instead of a <table>: on narrow screens each row becomes a card. */
export const PartsTable = ({ parts, nowMs }: PartsTableProps) => (
  <div role="table" aria-label="Parts" className="@container">
    <div
      role="row"
      className={`border-b border-line px-4 py-2 text-xs font-medium text-faint @max-2xl:sr-only ${columns}`}
    >
      <span role="columnheader">Part</span>
      <span role="columnheader">State</span>
      <span role="columnheader">For</span>
      <span role="columnheader" className="@2xl:text-right">
        Restarts
      </span>
    </div>
    <div role="rowgroup" className="divide-y divide-line">
      {parts.map((part) => (
        <PartRow key={part.name} part={part} nowMs={nowMs} />
      ))}
    </div>
  </div>
);
