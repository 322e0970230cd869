import type { Part } from '../../api/health.ts';
import { formatDuration } from '../../ui/duration.ts';
import { ToneBadge } from '../../ui/tone.tsx';
import { partLabel, partRole, partTone, stateLabel } from './summary.ts';

const columns = 'md:grid md:grid-cols-[minmax(0,1fr)_8rem_7rem_6rem] md:items-center md:gap-4';

function PartRow({ part, nowMs }: { readonly part: Part; readonly nowMs: number }) {
  const sinceMs = Date.parse(part.since);
  const role = partRole(part.name);
  return (
    <div role="row" className={`relative px-4 py-3 ${columns}`}>
      <div role="rowheader" className="min-w-0">
        <p className="font-medium text-ink max-md:pr-28">{partLabel(part.name)}</p>
        {role !== null && <p className="text-sm text-muted max-md:pr-28">{role}</p>}
        {part.detail !== null && (
          <p className="mt-1 font-mono text-xs break-words text-muted">{part.detail}</p>
        )}
      </div>
      <div role="cell" className="max-md:absolute max-md:top-3 max-md:right-4">
        <ToneBadge tone={partTone(part.state)}>{stateLabel(part.state)}</ToneBadge>
      </div>
      <div
        role="cell"
        className="text-sm text-muted tabular-nums max-md:mt-1.5 max-md:inline-block"
      >
        <span className="md:hidden">For </span>
        <time dateTime={part.since} title={new Date(sinceMs).toLocaleString()}>
          {formatDuration(nowMs - sinceMs)}
        </time>
      </div>
      <div
        role="cell"
        className="text-sm text-muted tabular-nums max-md:inline-block md:text-right"
      >
        <span className="md:hidden">, </span>
        {part.restarts}
        <span className="md:sr-only"> {part.restarts === 1 ? 'restart' : 'restarts'}</span>
      </div>
    </div>
  );
}

interface PartsTableProps {
  readonly parts: readonly Part[];
  readonly nowMs: number;
}

/** Grid roles instead of a <table>: on a narrow screen each row becomes a small card. */
export const PartsTable = ({ parts, nowMs }: PartsTableProps) => (
  <div role="table" aria-label="Parts">
    <div
      role="row"
      className={`border-b border-line px-4 py-2 text-xs font-medium text-faint max-md:sr-only ${columns}`}
    >
      <span role="columnheader">Part</span>
      <span role="columnheader">State</span>
      <span role="columnheader">For</span>
      <span role="columnheader" className="md:text-right">
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
