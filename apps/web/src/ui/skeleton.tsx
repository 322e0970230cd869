import { cx } from 'class-variance-authority';

export const Skeleton = ({ className }: { readonly className?: string }) => (
  <span
    aria-hidden
    data-skeleton
    className={cx('block animate-breathe rounded bg-hover', className)}
  />
);
