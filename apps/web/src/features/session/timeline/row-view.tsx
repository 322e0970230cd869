import { cx } from 'class-variance-authority';
import { ChevronRight } from 'lucide-react';
import { memo } from 'react';
import { summaryText } from './rows.ts';
import type { Row, TurnSummary } from './rows.ts';
import { views } from './views/registry.ts';
import { TextView } from './views/text-view.tsx';

interface RowViewProps {
  readonly row: Row;
  readonly onToggleTurn: (turnId: string) => void;
}

export const RowView = memo(
  ({ row, onToggleTurn }: RowViewProps) => {
    if (row.kind === 'summary')
      return <SummaryLine summary={row.summary} onToggle={onToggleTurn} />;
    if (row.kind === 'live') return <TextView item={null} partId={row.partId} />;
    const View = views[row.item.events[0].type];
    return View === undefined ? null : <View item={row.item} />;
  },
  (before, after) =>
    before.onToggleTurn === after.onToggleTurn &&
    (before.row === after.row ||
      (before.row.kind === 'item' &&
        after.row.kind === 'item' &&
        before.row.item === after.row.item)),
);

interface SummaryLineProps {
  readonly summary: TurnSummary;
  readonly onToggle: (turnId: string) => void;
}

const SummaryLine = ({ summary, onToggle }: SummaryLineProps) => (
  <button
    type="button"
    aria-expanded={summary.isOpen}
    onClick={() => onToggle(summary.turnId)}
    className="-mx-1.5 flex items-center gap-2 rounded-md px-1.5 py-1 text-sm text-muted tabular-nums transition-colors hover:bg-hover hover:text-ink"
  >
    <ChevronRight
      aria-hidden
      className={cx('size-3.5 transition-transform', summary.isOpen && 'rotate-90')}
    />
    {summaryText(summary)}
  </button>
);
