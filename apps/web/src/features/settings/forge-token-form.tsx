import type { ForgeTokenStored } from '@ship/protocol';
import { useState } from 'react';
import { loadForgesApi } from '../../api/load.ts';
import { useAction } from '../../data/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { FailureNote } from '../../ui/notice.tsx';

interface ForgeTokenFormProps {
  /** `https://github.com` */
  readonly url: string;
  readonly isReplacing: boolean;
  readonly onSaved: (stored: ForgeTokenStored) => void;
}

/** A write-only token. The server refuses to store one that the forge rejects. */
export function ForgeTokenForm({ url, isReplacing, onSaved }: ForgeTokenFormProps) {
  const [token, setToken] = useState('');
  const save = useAction(async () => (await loadForgesApi()).writeForgeToken(token.trim()), {
    showsErrorInline: true,
    onDone: (stored) => {
      setToken('');
      onSaved(stored);
    },
  });
  return (
    <form
      aria-label="Set a token"
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(undefined);
      }}
    >
      <div className="flex flex-wrap items-start gap-3">
        <Field
          label={isReplacing ? 'New token' : 'Token'}
          className="min-w-56 flex-1"
          hint={
            <>
              <a
                href={`${url}/settings/personal-access-tokens/new`}
                target="_blank"
                rel="noreferrer"
                className="text-accent underline underline-offset-2"
              >
                Create one
              </a>
              : fine-grained; Contents and Pull requests: write, Metadata: read.
            </>
          }
        >
          {(control) => (
            <TextInput
              {...control}
              type="password"
              value={token}
              autoComplete="new-password"
              spellCheck={false}
              className="font-mono"
              onChange={(event) => setToken(event.target.value)}
            />
          )}
        </Field>
        <Button type="submit" className="sm:mt-6" disabled={token.trim() === '' || save.isPending}>
          {isReplacing ? 'Replace token' : 'Set token'}
        </Button>
      </div>
      {save.error !== null && <FailureNote cause={save.error} />}
    </form>
  );
}
