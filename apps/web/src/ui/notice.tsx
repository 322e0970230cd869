import { cx } from 'class-variance-authority';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { explain } from '../data/use-action.ts';
import { Button } from './button.tsx';
import { ErrorActionLink } from './error-action.tsx';
import { ToneGlyph } from './tone.tsx';

interface FailureNoteProps {
  readonly cause: unknown;
  readonly onRetry?: () => void;
  readonly className?: string;
}

/** A failure with its remedy, in place of the content. */
export function FailureNote({ cause, onRetry, className }: FailureNoteProps) {
  const { message, remedy, action } = explain(cause);
  return (
    <div
      role="alert"
      className={cx(
        'flex items-start gap-2.5 rounded-lg border border-line bg-bad-soft px-3 py-2.5 text-sm',
        className,
      )}
    >
      <ToneGlyph tone="bad" className="mt-0.5" />
      <div className="min-w-0 flex-1">
        <p className="font-medium break-words text-ink">{message}</p>
        <p className="break-words text-muted">{remedy}</p>
      </div>
      {onRetry !== undefined && <Button onClick={onRetry}>Retry</Button>}
      <ErrorActionLink action={action} />
    </div>
  );
}

interface EmptyProps {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** An empty state: what will appear here, and how. */
export const Empty = ({ icon: Icon, title, children, action }: EmptyProps) => (
  <div className="rounded-xl border border-dashed border-line-strong px-4 py-10 text-center">
    <Icon aria-hidden className="mx-auto size-5 text-faint" />
    <p className="mt-2 font-medium">{title}</p>
    {children !== undefined && (
      <p className="mx-auto mt-0.5 max-w-prose text-sm text-pretty text-muted">{children}</p>
    )}
    {action !== undefined && <div className="mt-4 flex justify-center">{action}</div>}
  </div>
);
