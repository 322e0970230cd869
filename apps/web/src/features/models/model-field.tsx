import { useId } from 'react';
import { OptionField } from '../home/option-field.tsx';

interface ModelFieldProps {
  readonly value: string;
  /** What is used when nothing is chosen. */
  readonly fallback: string | null;
  readonly onChange: (value: string) => void;
}

export function ModelField({ value, fallback, onChange }: ModelFieldProps) {
  const listId = useId();
  return (
    <OptionField
      label="Model"
      value={value}
      placeholder={fallback ?? 'provider/model'}
      width="w-32"
      list={listId}
      onChange={onChange}
    />
  );
}
