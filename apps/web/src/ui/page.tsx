import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { cx } from 'class-variance-authority';

interface PageProps {
  /** Also the document's title, with the product's name after it. */
  readonly title: string;
  readonly className?: string;
  readonly children: ReactNode;
}

export function Page({ title, className, children }: PageProps) {
  useEffect(() => {
    document.title = title === 'Ship' ? title : `${title} · Ship`;
  }, [title]);
  return (
    <div className={cx('mx-auto w-full max-w-[60rem] px-4 py-6 sm:px-8 md:py-12', className)}>
      {children}
    </div>
  );
}
