import type { Usage } from '@ship/protocol';
import { Card } from '../../ui/card.tsx';
import { formatCount, formatUsd } from '../../ui/format.ts';

interface RankingProps {
  readonly title: string;
  readonly rows: Usage['rows'];
  readonly nameOf: (key: string) => string;
}

const shownRows = 8;

/** The most expensive rows, each with a bar for comparison. */
export function Ranking({ title, rows, nameOf }: RankingProps) {
  const maxCost = Math.max(0, ...rows.map(({ costUsd }) => costUsd));
  return (
    <Card aria-label={title} className="min-w-0">
      <table className="w-full table-fixed text-sm">
        <caption className="px-4 pt-4 pb-2 text-left font-medium">{title}</caption>
        <thead className="text-xs text-faint">
          <tr>
            <th scope="col" className="px-4 py-1 text-left font-medium">
              Name
            </th>
            <th scope="col" className="w-24 px-4 py-1 text-right font-medium">
              Tokens
            </th>
            <th scope="col" className="w-24 px-4 py-1 text-right font-medium">
              Cost
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shownRows).map(({ key, costUsd, inputTokens, outputTokens, unpriced }) => (
            <tr key={key} className="border-t border-line">
              <th scope="row" className="px-4 py-2 text-left font-normal">
                <span className="block truncate" title={key}>
                  {nameOf(key)}
                </span>
                <svg
                  aria-hidden
                  viewBox="0 0 100 2"
                  preserveAspectRatio="none"
                  className="mt-1 h-1 w-full"
                >
                  <rect width="100" height="2" rx="1" className="fill-hover" />
                  <rect
                    width={maxCost === 0 ? 0 : (costUsd / maxCost) * 100}
                    height="2"
                    rx="1"
                    className="fill-accent/70"
                  />
                </svg>
              </th>
              <td className="px-4 text-right text-muted tabular-nums">
                {formatCount(inputTokens + outputTokens)}
              </td>
              <td className="px-4 text-right tabular-nums">
                {unpriced > 0 && costUsd === 0 ? 'unknown' : formatUsd(costUsd)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
