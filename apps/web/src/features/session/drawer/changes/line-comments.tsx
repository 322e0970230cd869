import { X } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../../ui/button.tsx';
import { TextArea } from '../../../../ui/field.tsx';
import { useReview } from './use-review.ts';

interface LineCommentsProps {
  readonly path: string;
  readonly line: number;
  readonly code: string;
  readonly isWriting: boolean;
  readonly onDone: () => void;
}

/** The comments on one line and the form for a new one. */
export function LineComments({ path, line, code, isWriting, onDone }: LineCommentsProps) {
  const { comments, add, remove } = useReview();
  const [text, setText] = useState('');
  const mine = comments.filter((one) => one.path === path && one.line === line);
  if (mine.length === 0 && !isWriting) return null;
  return (
    <div className="space-y-2 border-y border-line bg-surface p-2 font-sans text-sm">
      {mine.map((comment) => (
        <div key={comment.text} className="flex items-start gap-2 rounded-md bg-rail px-2.5 py-1.5">
          <p className="min-w-0 flex-1 break-words whitespace-pre-wrap">{comment.text}</p>
          <button
            type="button"
            aria-label="Delete comment"
            onClick={() => remove(comment)}
            className="grid size-6 place-items-center rounded text-faint hover:bg-hover hover:text-ink"
          >
            <X aria-hidden className="size-3.5" />
          </button>
        </div>
      ))}
      {isWriting && (
        <form
          aria-label={`Comment on line ${line} of ${path}`}
          onSubmit={(event) => {
            event.preventDefault();
            if (text.trim() !== '') add({ path, line, code, text: text.trim() });
            setText('');
            onDone();
          }}
        >
          <TextArea
            autoFocus
            aria-label="Comment"
            rows={2}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') onDone();
              if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
              event.preventDefault();
              event.currentTarget.form?.requestSubmit();
            }}
          />
          <div className="mt-2 flex gap-2">
            <Button type="submit" variant="primary" disabled={text.trim() === ''}>
              Add comment
            </Button>
            <Button onClick={onDone}>Cancel</Button>
          </div>
        </form>
      )}
    </div>
  );
}
