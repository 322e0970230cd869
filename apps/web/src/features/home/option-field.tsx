import { cx } from 'class-variance-authority';
import type { ComponentProps } from 'react';

/** Shared by the small controls below the task. */
export const optionStyles =
  'flex h-9 items-center gap-1.5 rounded-md border border-line bg-canvas px-2.5 text-sm text-muted transition-colors hover:border-line-strong focus-within:border-accent md:h-8 md:px-2';

interface OptionFieldProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder: string;
  readonly width: string;
  readonly prefix?: string;
  readonly problem?: string | null;
  readonly inputMode?: ComponentProps<'input'>['inputMode'];
  readonly list?: string;
  readonly onChange: (value: string) => void;
}

export const OptionField = (props: OptionFieldProps) => {
  const { label, value, placeholder, width, prefix, problem = null, onChange, ...rest } = props;
  return (
    <label title={problem ?? label} className={cx(optionStyles, problem !== null && 'border-bad!')}>
      <span className="sr-only">{label}</span>
      {prefix !== undefined && <span aria-hidden>{prefix}</span>}
      <input
        type="text"
        value={value}
        placeholder={placeholder}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={problem !== null}
        onChange={(event) => onChange(event.target.value)}
        className={cx('bg-transparent text-ink outline-none placeholder:text-faint', width)}
        {...rest}
      />
    </label>
  );
};
