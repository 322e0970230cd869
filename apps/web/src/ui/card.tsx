import { cx } from 'class-variance-authority';
import type { ComponentProps } from 'react';

export const Card = ({ className, ...props }: ComponentProps<'section'>) => (
  <section
    className={cx('rounded-xl border border-line bg-surface shadow-card', className)}
    {...props}
  />
);
