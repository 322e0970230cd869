import { ChevronRight } from 'lucide-react';
import { cx } from 'class-variance-authority';
import { useDeferredValue } from 'react';
import { Markdown } from '../../../markdown/markdown.tsx';
import { useLiveText } from '../../feed/use-feed.ts';
import { newest } from '../items.ts';
import type { ViewProps } from './frame.tsx';

export function TextView({ item }: ViewProps) {
  const event = newest(item);
  if (event.type !== 'text.finished') return null;
  const { kind, text, isPartial, subagentId } = event.data;
  if (kind === 'reasoning') return <Reasoning text={text} />;
  return (
    <div className={cx('py-2', subagentId !== null && 'border-l-2 border-line pl-3 text-muted')}>
      <Markdown text={text} />
      {isPartial && <p className="mt-1 text-xs text-muted">broken off here</p>}
    </div>
  );
}

/** Thoughts are for the curious: one line until they are opened. */
const Reasoning = ({ text }: { readonly text: string }) => (
  <details className="group py-1 text-sm text-muted">
    <summary className="flex w-fit max-w-full list-none items-center gap-2 rounded hover:text-ink [&::-webkit-details-marker]:hidden">
      <ChevronRight
        aria-hidden
        className="size-3.5 shrink-0 transition-transform group-open:rotate-90"
      />
      <span className="shrink-0">Thought</span>
      <span className="truncate text-faint group-open:hidden">{firstLine(text)}</span>
    </summary>
    <Markdown text={text} className="mt-1 border-l-2 border-line pl-4 text-sm!" />
  </details>
);

const firstLine = (text: string) =>
  text
    .trim()
    .split('\n')[0]
    ?.replaceAll(/[*_#`]/g, '') ?? '';

interface LiveTextViewProps {
  readonly partId: string;
  readonly isReasoning: boolean;
}

/** What is being written right now. */
export function LiveTextView({ partId, isReasoning }: LiveTextViewProps) {
  // Keys that are typed meanwhile come first.
  const text = useDeferredValue(useLiveText(partId) ?? '');
  return isReasoning ? (
    <p className="max-h-20 overflow-hidden py-1 text-sm text-muted">
      <span className="animate-breathe">Thinking</span>{' '}
      <span className="text-faint">{text.slice(-240)}</span>
    </p>
  ) : (
    <div className="py-2">
      <Markdown text={text} />
    </div>
  );
}
