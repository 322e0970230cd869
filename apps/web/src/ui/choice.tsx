import { cx } from 'class-variance-authority';
import type { LucideIcon } from 'lucide-react';
import { useId } from 'react';

interface Option<T extends string> {
  readonly value: T;
  readonly label: string;
  /** Replaces the label, which becomes the accessible name and the tooltip. */
  readonly icon?: LucideIcon;
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly options: readonly Option<T>[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** A single choice from a few options. Native radio buttons need no keyboard code. */
export function Choice<T extends string>({ label, options, value, onChange }: ChoiceProps<T>) {
  const name = useId();
  return (
    <fieldset className="inline-flex rounded-md border border-line bg-canvas p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map(({ icon: Icon, ...option }) => (
        <label
          key={option.value}
          title={Icon && option.label}
          className={cx(
            'relative grid h-8 cursor-pointer place-items-center rounded-[5px] text-sm transition-colors hover:text-ink has-checked:bg-hover has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-accent',
            Icon ? 'w-8 text-faint md:h-6 md:w-7' : 'px-2.5 text-muted md:h-7',
          )}
        >
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            aria-label={Icon && option.label}
            className="absolute inset-0 cursor-pointer appearance-none rounded-[5px] outline-none"
          />
          {Icon ? <Icon aria-hidden className="size-3.5" /> : option.label}
        </label>
      ))}
    </fieldset>
  );
}
