import { Field, TextArea, TextInput, controlStyles } from '../../ui/field.tsx';
import { ModelSelect } from '../models/model-select.tsx';
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
    // A model select takes a whole row: beside it, it would separate two fields that belong together.
    {...((field.kind === 'lines' || field.kind === 'model') && { className: 'sm:col-span-2' })}
  >
    {(control) =>
      field.kind === 'lines' ? (
        <TextArea
          {...control}
          rows={Math.min(14, Math.max(5, text.split('\n').length + 1))}
          value={text}
          placeholder={field.placeholder}
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
          className="font-mono"
        />
      ) : field.kind === 'model' ? (
        <ModelSelect
          {...control}
          value={text}
          emptyLabel={(fallback) => (fallback === null ? 'None' : `Automatic: ${fallback}`)}
          onChange={onChange}
          className={controlStyles('h-9 md:h-8')}
        />
      ) : (
        <TextInput
          {...control}
          value={text}
          placeholder={field.placeholder}
          inputMode={field.kind === 'number' ? 'decimal' : 'text'}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
          className="tabular-nums"
        />
      )
    }
  </Field>
);
