import type { MergeMethod } from '@ship/protocol';
import { Select } from '../../../../ui/field.tsx';

const verbs: Readonly<Record<MergeMethod, string>> = {
  squash: 'Squash and merge',
  merge: 'Merge',
  rebase: 'Rebase and merge',
};

export const mergeQuestion = (method: MergeMethod, number: number, base: string): string =>
  `${verbs[method]} #${number} into ${base}?`;

const methods: readonly { readonly value: MergeMethod; readonly label: string }[] = [
  { value: 'squash', label: 'Squash' },
  { value: 'merge', label: 'Merge commit' },
  { value: 'rebase', label: 'Rebase' },
];

interface MergeMethodSelectProps {
  readonly value: MergeMethod;
  readonly onChange: (method: MergeMethod) => void;
}

export const MergeMethodSelect = ({ value, onChange }: MergeMethodSelectProps) => (
  <Select
    aria-label="Merge method"
    value={value}
    onChange={(event) =>
      onChange(methods.find((method) => method.value === event.target.value)?.value ?? 'squash')
    }
    className="w-auto! min-w-0"
  >
    {methods.map((method) => (
      <option key={method.value} value={method.value}>
        {method.label}
      </option>
    ))}
  </Select>
);
