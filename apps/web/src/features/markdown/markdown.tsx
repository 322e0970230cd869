import { cx } from 'class-variance-authority';
import { Suspense, lazy, memo } from 'react';
import { IsFinished } from './is-finished.ts';

const load = () => import('./rendered.tsx');
const Rendered = lazy(load);
// Prefetch: a page that shows one text will show more. If this fails, the first text loads it again.
load().catch(() => undefined);

interface MarkdownProps {
  readonly text: string;
  readonly className?: string;
  /** False while the text streams: highlighting would run again with every word. */
  readonly isFinished?: boolean;
}

/** Text of an agent: plain until the parser has loaded. */
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
