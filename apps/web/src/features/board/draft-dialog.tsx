import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Card, RequestId } from '@ship/protocol';
import { useId, useState } from 'react';
import { loadApi } from '../../api/load.ts';
import { newRequestId } from '../../api/request-id.ts';
import { boardQuery, repositoriesQuery } from '../../data/queries.ts';
import { useAction } from '../../data/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, TextArea, TextInput } from '../../ui/field.tsx';
import { FailureNote } from '../../ui/notice.tsx';

interface DraftDialogProps {
  /** Null to add a task. */
  readonly card: (Card & { kind: 'draft' }) | null;
  readonly onClose: () => void;
  readonly onRemove?: () => void;
}

const orNull = (text: string) => (text.trim() === '' ? null : text.trim());

/** Adds or edits a task that has not been started. */
export function DraftDialog({ card, onClose, onRemove }: DraftDialogProps) {
  const client = useQueryClient();
  const { data } = useQuery(repositoriesQuery);
  const listId = useId();
  const [requestId] = useState<RequestId>(newRequestId);
  const [title, setTitle] = useState(card?.draft.title ?? '');
  const [text, setText] = useState(card?.draft.text ?? '');
  const [repository, setRepository] = useState(
    card?.draft.repository ?? data?.repositories[0]?.location ?? '',
  );
  const [base, setBase] = useState(card?.draft.base ?? '');
  const save = useAction(
    async () => {
      const api = await loadApi();
      const draft = {
        title: title.trim(),
        text: text.trim(),
        repository: orNull(repository),
        base: orNull(base),
      };
      return card === null
        ? api.createCard({ ...draft, model: null, requestId })
        : api.editCard(card.cardId, draft);
    },
    {
      showsErrorInline: true,
      onDone: () => {
        void client.invalidateQueries({ queryKey: boardQuery.queryKey });
        onClose();
      },
    },
  );
  return (
    <Dialog
      title={card === null ? 'Add a task' : 'Edit task'}
      description="It stays in the backlog until you start it."
      size="lg"
      onClose={onClose}
    >
      <form
        className="space-y-4 px-5 pb-5"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(undefined);
        }}
      >
        <Field label="Title">
          {(control) => (
            <TextInput
              {...control}
              required
              autoFocus
              maxLength={200}
              value={title}
              onChange={(event) => setTitle(event.target.value)}
            />
          )}
        </Field>
        <Field label="Task" hint="The prompt for the agent. Leave empty to use the title alone.">
          {(control) => (
            <TextArea
              {...control}
              rows={6}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Repository">
            {(control) => (
              <TextInput
                {...control}
                list={listId}
                value={repository}
                spellCheck={false}
                placeholder="URL or folder"
                onChange={(event) => setRepository(event.target.value)}
              />
            )}
          </Field>
          <Field label="Base branch">
            {(control) => (
              <TextInput
                {...control}
                value={base}
                spellCheck={false}
                placeholder="Default branch"
                onChange={(event) => setBase(event.target.value)}
              />
            )}
          </Field>
        </div>
        <datalist id={listId}>
          {data?.repositories.map(({ repositoryId, location, name }) => (
            <option key={repositoryId} value={location}>
              {name}
            </option>
          ))}
        </datalist>
        {save.error !== null && <FailureNote cause={save.error} />}
        <div className="flex justify-end gap-2">
          {onRemove !== undefined && (
            <Button variant="ghost" className="mr-auto" onClick={onRemove}>
              Delete task
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={title.trim() === '' || save.isPending}>
            {card === null ? 'Add to backlog' : 'Save'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
