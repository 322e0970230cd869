import type { ConfidencePart } from '@ship/protocol';
import { cx } from 'class-variance-authority';
import { levelOf } from './verdicts.ts';

const colours = { ok: 'bg-ok', warn: 'bg-warn', bad: 'bg-bad' } as const;

/** The reasons for a score, by weight. */
export const ConfidenceParts = ({ parts }: { readonly parts: readonly ConfidencePart[] }) => (
  <ul className="space-y-2">
    {parts
      .toSorted((a, b) => b.weight - a.weight)
      .map(({ name, value, text }) => (
        <li key={name} className="flex items-start gap-3 text-sm">
          <span
            role="img"
            aria-label={`${Math.round(value * 100)} of 100`}
            className="mt-2 h-1 w-10 shrink-0 overflow-hidden rounded-full bg-hover"
          >
            <span
              className={cx('block h-full rounded-full', colours[levelOf(value)])}
              // The width is data: there is no class for every number.
              ref={(bar) => bar?.style.setProperty('width', `${Math.round(value * 100)}%`)}
            />
          </span>
          <span className="min-w-0 text-pretty break-words text-muted">{text}</span>
        </li>
      ))}
  </ul>
);
