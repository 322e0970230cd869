import { useState } from 'react';
import { niceCeiling, shortDay } from './days.ts';

interface Bar {
  readonly day: string;
  readonly value: number;
}

interface DayChartProps {
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly format: (value: number) => string;
}

const height = 160;

/** An SVG bar chart with the same numbers in a table for screen readers. */
export function DayChart({ label, bars, format }: DayChartProps) {
  const [active, setActive] = useState<number | null>(null);
  const top = niceCeiling(Math.max(0, ...bars.map(({ value }) => value)));
  const shown = active === null ? undefined : bars[active];
  const first = bars[0];
  const last = bars.at(-1);
  return (
    <figure>
      <figcaption className="flex items-baseline justify-between gap-3 text-sm">
        <span className="font-medium">{label}</span>
        <span aria-hidden className="text-muted tabular-nums">
          {shown === undefined
            ? `up to ${format(top)} per day`
            : `${shortDay(shown.day)}: ${format(shown.value)}`}
        </span>
      </figcaption>
      <svg
        aria-hidden
        viewBox={`0 0 ${bars.length * 10} ${height}`}
        preserveAspectRatio="none"
        className="mt-3 h-40 w-full"
        onPointerLeave={() => setActive(null)}
      >
        {[0, 0.5, 1].map((share) => (
          <line
            key={share}
            x1="0"
            x2={bars.length * 10}
            y1={Math.min(height - 0.5, Math.max(0.5, height * share))}
            y2={Math.min(height - 0.5, Math.max(0.5, height * share))}
            className="stroke-line"
            vectorEffect="non-scaling-stroke"
          />
        ))}
        {bars.map(({ day, value }, index) => {
          const tall = (value / top) * height;
          return (
            <g key={day} onPointerEnter={() => setActive(index)}>
              <rect x={index * 10} y="0" width="10" height={height} fill="transparent" />
              <rect
                x={index * 10 + 1.5}
                y={height - tall}
                width="7"
                height={tall}
                rx="0.5"
                className={active === index ? 'fill-brand' : 'fill-accent/70'}
              />
            </g>
          );
        })}
      </svg>
      {first !== undefined && last !== undefined && (
        <div aria-hidden className="mt-1 flex justify-between text-xs text-faint tabular-nums">
          <span>{shortDay(first.day)}</span>
          <span>{shortDay(last.day)}</span>
        </div>
      )}
      <table className="sr-only">
        <caption>{label}</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">{label}</th>
          </tr>
        </thead>
        <tbody>
          {bars
            .filter(({ value }) => value > 0)
            .map(({ day, value }) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                <td>{format(value)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </figure>
  );
}
