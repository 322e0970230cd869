import { cx } from 'class-variance-authority';
import { useId } from 'react';
import type { ComponentProps, ReactNode } from 'react';

/** 16 px on touch screens: smaller text makes phones zoom into the field. */
const control =
  'w-full rounded-md border border-line-strong bg-canvas px-2.5 text-lg text-ink transition-colors placeholder:text-faint hover:border-faint aria-invalid:border-bad disabled:opacity-60 md:text-sm';

export const controlStyles = (className?: string) => cx(control, className);

export const TextInput = ({ className, ...props }: ComponentProps<'input'>) => (
  <input type="text" className={cx(control, 'h-9 md:h-8', className)} {...props} />
);

export const TextArea = ({ className, ...props }: ComponentProps<'textarea'>) => (
  <textarea className={cx(control, 'py-1.5 leading-relaxed', className)} {...props} />
);

export const Select = ({ className, ...props }: ComponentProps<'select'>) => (
  <select className={cx(control, 'h-9 md:h-8', className)} {...props} />
);

interface FieldControl {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean;
}

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly problem?: string | null | undefined;
  readonly className?: string;
  readonly children: (control: FieldControl) => ReactNode;
}

/** A control with its label, hint and problem, linked for screen readers. */
export function Field({ label, hint, problem = null, className, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  const problemId = `${id}-problem`;
  const described = [hint !== undefined && hintId, problem !== null && problemId].filter(Boolean);
  return (
    <div className={cx('min-w-0', className)}>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': described.length === 0 ? undefined : described.join(' '),
        'aria-invalid': problem !== null,
      })}
      {problem !== null && (
        <p id={problemId} className="mt-1 text-sm text-bad">
          {problem}
        </p>
      )}
      {hint !== undefined && (
        <p id={hintId} className="mt-1 text-sm text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}
