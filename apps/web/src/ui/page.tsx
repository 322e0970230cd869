import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { cx } from 'class-variance-authority';
import { setPageTitle } from '../features/notifications/page-title.ts';

interface PageProps {
  /** Also the document title, before the product name. */
  readonly title: string;
  readonly className?: string;
  readonly children: ReactNode;
}

interface PageHeadingProps {
  readonly title: string;
  readonly text?: ReactNode;
  readonly children?: ReactNode;
}

/** The page's h1 with its controls. */
export const PageHeading = ({ title, text, children }: PageHeadingProps) => (
  <div className="mb-6 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
    <div>
      <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
      {text !== undefined && <p className="text-base text-muted">{text}</p>}
    </div>
    {children}
  </div>
);

export function Page({ title, className, children }: PageProps) {
  useEffect(() => {
    setPageTitle(title);
  }, [title]);
  return (
    <div className={cx('mx-auto w-full max-w-[60rem] px-4 py-6 sm:px-8 md:py-12', className)}>
      {children}
    </div>
  );
}
