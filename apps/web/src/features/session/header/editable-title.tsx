import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { TextInput } from '../../../ui/field.tsx';

interface EditableTitleProps {
  readonly title: string;
  readonly onRename: (title: string) => void;
}

export function EditableTitle({ title, onRename }: EditableTitleProps) {
  const [draft, setDraft] = useState<string | null>(null);
  if (draft === null)
    return (
      <div className="flex min-w-0 items-center gap-1">
        <h1 className="truncate text-lg font-semibold tracking-tight" title={title}>
          {title}
        </h1>
        <button
          type="button"
          aria-label="Rename session"
          onClick={() => setDraft(title)}
          className="grid size-7 shrink-0 place-items-center rounded-md text-faint hover:bg-hover hover:text-ink"
        >
          <Pencil aria-hidden className="size-3.5" />
        </button>
      </div>
    );
  const finish = () => {
    const wanted = draft.trim();
    if (wanted !== '' && wanted !== title) onRename(wanted);
    setDraft(null);
  };
  return (
    <form
      className="min-w-0 flex-1"
      onSubmit={(event) => {
        event.preventDefault();
        finish();
      }}
    >
      <TextInput
        autoFocus
        aria-label="Title"
        maxLength={200}
        value={draft}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setDraft(event.target.value)}
        onBlur={finish}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          setDraft(null);
        }}
      />
    </form>
  );
}
