import { cx } from 'class-variance-authority';

export const Skeleton = ({ className }: { readonly className?: string }) => (
  <span aria-hidden className={cx('block animate-breathe rounded bg-hover', className)} />
);
