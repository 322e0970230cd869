import { ChevronRight } from 'lucide-react';
import { cx } from 'class-variance-authority';
import { useDeferredValue } from 'react';
import { Markdown } from '../../../markdown/markdown.tsx';
import { useLivePart } from '../../feed/use-feed.ts';
import { newest } from '../items.ts';
import type { Item } from '../items.ts';

interface TextViewProps {
  /** Null while it streams. */
  readonly item: Item | null;
  readonly partId?: string;
}

/** One component for streaming and finished text: the end of a stream must not parse and render it again. */
export function TextView({ item, partId = '' }: TextViewProps) {
  const live = useLivePart(partId);
  // Typing has priority over streamed text.
  const streaming = useDeferredValue(live?.text ?? '');
  const event = item === null ? null : newest(item);
  const finished = event?.type === 'text.finished' ? event.data : null;
  const kind = finished?.kind ?? live?.field;
  if (kind === 'reasoning')
    return finished === null ? <Thinking text={streaming} /> : <Reasoning text={finished.text} />;
  if (kind !== 'text') return null;
  const isSubagents = finished !== null && finished.subagentId !== null;
  return (
    <div className={cx('py-2', isSubagents && 'border-l-2 border-line pl-3 text-muted')}>
      <Markdown text={finished?.text ?? streaming} isFinished={finished !== null} />
      {finished?.isPartial === true && <p className="mt-1 text-xs text-muted">Interrupted</p>}
    </div>
  );
}

/** Reasoning, collapsed to one line. */
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

const Thinking = ({ text }: { readonly text: string }) => (
  <p className="max-h-20 overflow-hidden py-1 text-sm text-muted">
    <span className="animate-breathe">Thinking</span>{' '}
    <span className="text-faint">{text.slice(-240)}</span>
  </p>
);
