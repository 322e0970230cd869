import { cx } from 'class-variance-authority';
import { Suspense, lazy, memo } from 'react';

const Rendered = lazy(() => import('./rendered.tsx'));

interface MarkdownProps {
  readonly text: string;
  readonly className?: string;
}

/** Text of an agent. Plain until the parser is there: what was said is worth more than how it looks. */
export const Markdown = memo(({ text, className }: MarkdownProps) => (
  <div className={cx('text-base break-words', className)}>
    <Suspense fallback={<p className="whitespace-pre-wrap">{text}</p>}>
      <Rendered text={text} />
    </Suspense>
  </div>
));
