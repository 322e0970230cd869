import type { RepositoryId } from '@ship/protocol';
import { useState } from 'react';
import { loadApi } from '../../api/load.ts';
import { useAction } from '../../data/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { FailureNote } from '../../ui/notice.tsx';

interface SecretFormProps {
  readonly repositoryId: RepositoryId | null;
  readonly onSaved: () => void;
}

export function SecretForm({ repositoryId, onSaved }: SecretFormProps) {
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const save = useAction(async () => (await loadApi()).writeSecret({ name, repositoryId }, value), {
    showsErrorInline: true,
    onDone: () => {
      setName('');
      setValue('');
      onSaved();
    },
  });
  const isNamed = /^[A-Z_][A-Z0-9_]{0,99}$/.test(name);
  return (
    <form
      aria-label="Set a secret"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(undefined);
      }}
    >
      <div className="flex flex-wrap items-start gap-3">
        <Field
          label="Name"
          className="min-w-40 flex-1"
          problem={name === '' || isNamed ? null : 'Use uppercase letters, digits and underscores.'}
        >
          {(control) => (
            <TextInput
              {...control}
              value={name}
              placeholder="API_KEY"
              autoComplete="off"
              spellCheck={false}
              className="font-mono"
              onChange={(event) => setName(event.target.value.toUpperCase().replaceAll(' ', '_'))}
            />
          )}
        </Field>
        <Field label="Value" className="min-w-40 flex-1">
          {(control) => (
            <TextInput
              {...control}
              type="password"
              value={value}
              autoComplete="new-password"
              onChange={(event) => setValue(event.target.value)}
            />
          )}
        </Field>
        <Button
          type="submit"
          className="mt-6"
          disabled={!isNamed || value === '' || save.isPending}
        >
          Save secret
        </Button>
      </div>
      {save.error !== null && <FailureNote cause={save.error} className="mt-3" />}
    </form>
  );
}
