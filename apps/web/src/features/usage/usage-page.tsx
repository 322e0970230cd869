import { useQuery } from '@tanstack/react-query';
import type { Spending, Stats, Usage } from '@ship/protocol';
import { ChartColumn } from 'lucide-react';
import { useState } from 'react';
import { calibrationQuery, spendingQuery, statsQuery, usageQuery } from '../../data/queries.ts';
import { Card } from '../../ui/card.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatCount, formatMs, formatShare, formatUsd, repositoryName } from '../../ui/format.ts';
import { Empty, FailureNote } from '../../ui/notice.tsx';
import { Page, PageHeading } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { CalibrationCard } from './calibration.tsx';
import { DayChart } from './day-chart.tsx';
import { daysBetween, firstDay } from './days.ts';
import { Ranking } from './ranking.tsx';

const ranges = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
] as const;

const orNone = <T,>(value: T | null, format: (value: T) => string) =>
  value === null ? '–' : format(value);

const todayOf = ({ today, caps: { dailyUsd, dailyTokens } }: Spending) => {
  const cost = formatUsd(today.costUsd);
  const used = dailyUsd === null ? cost : `${cost} of ${formatUsd(dailyUsd)}`;
  if (dailyTokens === null) return used;
  const tokens = formatCount(today.inputTokens + today.outputTokens);
  return `${used} · ${tokens} of ${formatCount(dailyTokens)} tokens`;
};

const factsOf = (
  usage: Usage | undefined,
  stats: Stats | undefined,
  spending: Spending | undefined,
) => {
  const wait = <Skeleton className="my-1 h-3.5 w-16" />;
  const tokens = usage && usage.total.inputTokens + usage.total.outputTokens;
  return [
    {
      label: 'Today',
      value: spending === undefined ? wait : todayOf(spending),
    },
    { label: 'Cost', value: usage === undefined ? wait : formatUsd(usage.total.costUsd) },
    { label: 'Tokens', value: tokens === undefined ? wait : formatCount(tokens) },
    { label: 'Sessions', value: stats === undefined ? wait : formatCount(stats.sessions) },
    {
      label: 'Pull requests merged',
      value:
        stats === undefined
          ? wait
          : `${stats.pullRequests.merged}${stats.mergedShare === null ? '' : ` · ${formatShare(stats.mergedShare)}`}`,
    },
    {
      label: 'Cost per merged PR',
      value: stats === undefined ? wait : orNone(stats.costPerMergedUsd, formatUsd),
    },
    {
      label: 'Median to first token',
      value: stats === undefined ? wait : orNone(stats.medianFirstTokenMs, formatMs),
    },
    {
      label: 'Median to pull request',
      value: stats === undefined ? wait : orNone(stats.medianPullRequestMs, formatMs),
    },
  ];
};

/** The range applies to cost and tokens; session results cover all time. */
export function UsagePage() {
  const [range, setRange] = useState<'7' | '30' | '90'>('30');
  const [nowMs] = useState(() => Date.now());
  const from = firstDay(Number(range), nowMs);
  const byDay = useQuery(usageQuery(from, 'day'));
  const byModel = useQuery(usageQuery(from, 'model'));
  const byRepository = useQuery(usageQuery(from, 'repository'));
  const stats = useQuery(statsQuery);
  const spending = useQuery(spendingQuery);
  const calibration = useQuery(calibrationQuery);
  const failed = [byDay, stats].find(({ error, data }) => error !== null && data === undefined);
  return (
    <Page title="Usage">
      <PageHeading title="Usage" text="Spend and results">
        <Choice label="Range" options={ranges} value={range} onChange={setRange} />
      </PageHeading>
      <div className="space-y-4">
        {failed !== undefined && (
          <FailureNote cause={failed.error} onRetry={() => void failed.refetch()} />
        )}
        <Facts facts={factsOf(byDay.data, stats.data, spending.data)} />
        {byDay.data?.total.entries === 0 ? (
          <Empty icon={ChartColumn} title="No usage in this period">
            When an agent calls a model, its cost and tokens appear here by day, model and
            repository.
          </Empty>
        ) : (
          <Figures byDay={byDay.data} byModel={byModel.data} byRepository={byRepository.data} />
        )}
        {calibration.data !== undefined && <CalibrationCard calibration={calibration.data} />}
      </div>
    </Page>
  );
}

interface FiguresProps {
  readonly byDay: Usage | undefined;
  readonly byModel: Usage | undefined;
  readonly byRepository: Usage | undefined;
}

function Figures({ byDay, byModel, byRepository }: FiguresProps) {
  const waiting = <Skeleton className="h-56 rounded-xl" />;
  if (byDay === undefined) return waiting;
  const rows = new Map(byDay.rows.map((row) => [row.key, row]));
  const days = daysBetween(byDay.from, byDay.to);
  return (
    <>
      <div className="grid gap-4 lg:grid-cols-2">
        <Card className="p-4">
          <DayChart
            label="Cost by day"
            bars={days.map((day) => ({ day, value: rows.get(day)?.costUsd ?? 0 }))}
            format={formatUsd}
          />
        </Card>
        <Card className="p-4">
          <DayChart
            label="Tokens by day"
            bars={days.map((day) => {
              const row = rows.get(day);
              return { day, value: row === undefined ? 0 : row.inputTokens + row.outputTokens };
            })}
            format={formatCount}
          />
        </Card>
      </div>
      {byDay.total.unpriced > 0 && (
        <p className="text-sm text-muted">
          {byDay.total.unpriced} calls have no known price; the real cost may be higher.
        </p>
      )}
      <div className="grid gap-4 lg:grid-cols-2">
        {byModel === undefined ? (
          waiting
        ) : (
          <Ranking title="By model" rows={byModel.rows} nameOf={(key) => key} />
        )}
        {byRepository === undefined ? (
          waiting
        ) : (
          <Ranking title="By repository" rows={byRepository.rows} nameOf={repositoryName} />
        )}
      </div>
    </>
  );
}
