import { Field, TextArea, TextInput } from '../../ui/field.tsx';
import type { SettingField } from './fields.ts';

interface SettingControlProps {
  readonly field: SettingField;
  readonly text: string;
  readonly problem: string | null;
  readonly onChange: (text: string) => void;
}

export const SettingControl = ({ field, text, problem, onChange }: SettingControlProps) => (
  <Field
    label={field.unit === undefined ? field.label : `${field.label} (${field.unit})`}
    hint={field.hint}
    problem={problem}
    {...(field.kind === 'lines' && { className: 'sm:col-span-2' })}
  >
    {(parts) =>
      field.kind === 'lines' ? (
        <TextArea
          {...parts}
          rows={Math.min(14, Math.max(5, text.split('\n').length + 1))}
          value={text}
          placeholder={field.placeholder}
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
          className="font-mono"
        />
      ) : (
        <TextInput
          {...parts}
          value={text}
          placeholder={field.placeholder}
          inputMode={field.kind === 'number' ? 'decimal' : 'text'}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
          className={field.kind === 'model' ? 'font-mono' : 'tabular-nums'}
        />
      )
    }
  </Field>
);
