import { Link } from '@tanstack/react-router';
import { ArrowRight } from 'lucide-react';
import { Card } from '../../ui/card.tsx';
import { cx } from 'class-variance-authority';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ToneGlyph } from '../../ui/tone.tsx';
import { lastSeen } from './link.ts';
import { partLabel, partTone, stateLabel, summarize } from './summary.ts';
import { useLink } from './use-link.ts';

/** The state of this installation in a few lines, for the home page. */
export function StateCard({ className }: { readonly className?: string }) {
  const { data: link } = useLink();
  const { tone, title, text } = summarize(link);
  const seen = link === undefined ? null : lastSeen(link);
  return (
    <Card aria-labelledby="installation" className={cx('flex flex-col', className)}>
      <div className="flex items-start gap-3 p-4">
        <ToneGlyph tone={tone} className="mt-1" />
        <div className="min-w-0 flex-1">
          <h2 id="installation" className="text-base font-medium">
            {title}
          </h2>
          <p className="text-sm text-muted">{text}</p>
        </div>
        {seen !== null && (
          <span className="mt-0.5 font-mono text-xs text-faint">{seen.health.version}</span>
        )}
      </div>
      <ul className={cx('flex-1 px-4 pb-3 text-ink', link?.kind === 'lost' && 'stale')}>
        {seen?.health.parts.map((part) => (
          <li key={part.name} className="flex h-8 items-center justify-between gap-3 text-sm">
            <span className="truncate">{partLabel(part.name)}</span>
            <span className="flex items-center gap-2 text-muted">
              {stateLabel(part.state)}
              <ToneGlyph tone={partTone(part.state)} />
            </span>
          </li>
        ))}
        {link === undefined &&
          ['w-24', 'w-16', 'w-20'].map((width) => (
            <li key={width} className="flex h-8 items-center justify-between">
              <Skeleton className={`h-3 ${width}`} />
              <Skeleton className="h-3 w-8" />
            </li>
          ))}
      </ul>
      <Link
        to="/system"
        className="flex items-center justify-between rounded-b-xl border-t border-line px-4 py-2.5 text-sm text-muted transition-colors hover:bg-hover hover:text-ink"
      >
        System <ArrowRight aria-hidden className="size-3.5" />
      </Link>
    </Card>
  );
}
