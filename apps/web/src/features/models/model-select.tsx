import { useQuery } from '@tanstack/react-query';
import type { ComponentProps } from 'react';
import { modelsQuery } from '../../data/queries.ts';
import { groupModels } from './model-options.ts';

interface ModelSelectProps extends Omit<ComponentProps<'select'>, 'value' | 'onChange'> {
  readonly value: string;
  /** What an empty choice means; without it one must be chosen. */
  readonly emptyLabel?: (defaultModel: string | null) => string;
  readonly onChange: (ref: string) => void;
}

/** Only models that can be used now, and the one in use even if it cannot. */
export function ModelSelect({ value, emptyLabel, onChange, ...props }: ModelSelectProps) {
  const { data } = useQuery(modelsQuery);
  const isKnown = value === '' || data?.models.some(({ ref }) => ref === value) === true;
  return (
    <select value={value} onChange={(event) => onChange(event.target.value)} {...props}>
      {emptyLabel !== undefined && (
        <option value="">{emptyLabel(data?.defaultModel ?? null)}</option>
      )}
      {!isKnown && <option value={value}>{value}</option>}
      {groupModels(data?.models ?? []).map(({ provider, models }) => (
        <optgroup key={provider} label={provider}>
          {models.map(({ ref, label }) => (
            <option key={ref} value={ref}>
              {label}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  );
}
