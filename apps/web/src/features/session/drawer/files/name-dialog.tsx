import { useState } from 'react';
import { Button } from '../../../../ui/button.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { Field, TextInput } from '../../../../ui/field.tsx';

interface NameDialogProps {
  readonly title: string;
  readonly description: string;
  readonly action: string;
  readonly name: string;
  readonly onName: (name: string) => void;
  readonly onClose: () => void;
}

export function NameDialog({ title, description, action, name, onName, onClose }: NameDialogProps) {
  const [draft, setDraft] = useState(name);
  const problem = problemOf(draft);
  return (
    <Dialog title={title} description={description} onClose={onClose}>
      <form
        className="flex flex-col gap-4 px-5 pb-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (problem !== null) return;
          onClose();
          if (draft !== name) onName(draft);
        }}
      >
        <Field label="Name" problem={draft === '' ? null : problem}>
          {(control) => (
            <TextInput
              {...control}
              autoFocus
              maxLength={255}
              value={draft}
              onChange={(event) => setDraft(event.target.value)}
            />
          )}
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={problem !== null}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function problemOf(name: string): string | null {
  if (name === '' || name === '.' || name === '..') return 'Enter a valid name.';
  return name.includes('/') ? 'Names can’t contain a slash.' : null;
}
