import { cva, cx } from 'class-variance-authority';
import type { VariantProps } from 'class-variance-authority';
import type { ComponentProps } from 'react';

/** Also for links that look like buttons: `<Link className={buttonStyles()}>`. */
export const buttonStyles = cva(
  'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap transition-colors select-none disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0',
  {
    variants: {
      variant: {
        primary: 'bg-brand text-white hover:bg-brand/90',
        outline: 'border border-line-strong bg-surface text-ink hover:bg-hover',
        danger: 'bg-bad text-canvas hover:bg-bad/90',
        stop: 'border border-bad/50 bg-bad-soft text-bad hover:border-bad',
        ghost: 'text-muted hover:bg-hover hover:text-ink',
      },
      size: {
        md: 'h-9 px-3.5 text-base md:h-8 md:px-3 md:text-sm',
        icon: 'size-9 md:size-8',
      },
    },
    defaultVariants: { variant: 'outline', size: 'md' },
  },
);

type ButtonProps = ComponentProps<'button'> & VariantProps<typeof buttonStyles>;

export const Button = ({ className, variant, size, ...props }: ButtonProps) => (
  <button type="button" className={cx(buttonStyles({ variant, size }), className)} {...props} />
);
