import { cx } from 'class-variance-authority';
import { Suspense, lazy, memo } from 'react';
import { IsFinished } from './is-finished.ts';

const load = () => import('./rendered.tsx');
const Rendered = lazy(load);
// Whoever shows one text will show more: the parser comes with the page, beside what it is for. If it cannot, it is
// asked for again when there is a text.
load().catch(() => undefined);

interface MarkdownProps {
  readonly text: string;
  readonly className?: string;
  /** False while it streams: what still grows would be coloured anew with every word. */
  readonly isFinished?: boolean;
}

/** Text of an agent. Plain until the parser is there: what was said is worth more than how it looks. */
export const Markdown = memo(({ text, className, isFinished = true }: MarkdownProps) => (
  <div className={cx('text-base break-words', className)}>
    <Suspense
      fallback={
        <p data-plain className="whitespace-pre-wrap">
          {text}
        </p>
      }
    >
      <IsFinished value={isFinished}>
        <Rendered text={text} />
      </IsFinished>
    </Suspense>
  </div>
));
