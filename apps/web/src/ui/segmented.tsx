import type { LucideIcon } from 'lucide-react';
import { useId } from 'react';

interface SegmentedProps<T extends string> {
  readonly label: string;
  readonly options: readonly {
    readonly value: T;
    readonly label: string;
    readonly icon: LucideIcon;
  }[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** One of a few, always one. Plain radio buttons: the browser brings the keyboard, and no bytes. */
export function Segmented<T extends string>({
  label,
  options,
  value,
  onChange,
}: SegmentedProps<T>) {
  const name = useId();
  return (
    <fieldset className="inline-flex rounded-md border border-line bg-canvas p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          title={option.label}
          className="relative grid size-8 cursor-pointer place-items-center rounded-[5px] text-faint transition-colors hover:text-ink has-checked:bg-hover has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-accent md:h-6 md:w-7"
        >
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            aria-label={option.label}
            className="absolute inset-0 cursor-pointer appearance-none rounded-[5px] outline-none"
          />
          <option.icon aria-hidden className="size-3.5" />
        </label>
      ))}
    </fieldset>
  );
}
