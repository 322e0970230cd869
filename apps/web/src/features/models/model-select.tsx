import { useQuery } from '@tanstack/react-query';
import type { ComponentProps } from 'react';
import { modelsQuery } from '../../data/queries.ts';
import { groupModels } from './model-options.ts';

interface ModelSelectProps extends Omit<ComponentProps<'select'>, 'value' | 'onChange'> {
  readonly value: string;
  /** The label of an empty choice; without it a model is required. */
  readonly emptyLabel?: (defaultModel: string | null) => string;
  readonly onChange: (ref: string) => void;
}

/** Lists available models, and the current one even if it is unavailable. */
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
