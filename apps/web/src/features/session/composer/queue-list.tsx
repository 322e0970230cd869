import type { Prompt } from '@ship/protocol';
import { ArrowDown, ArrowUp, Paperclip, Pencil, Play, X } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { TextArea } from '../../../ui/field.tsx';
import { useSession } from '../session-context.ts';
import { placeAfterMove } from './queue-move.ts';

/** Queued prompts, next one first. They can be edited, moved and removed until the agent takes them. */
export function QueueList() {
  const { state, actions } = useSession();
  const { queue, activity } = state;
  if (queue.length === 0) return null;
  const move = (index: number, step: -1 | 1) => {
    const prompt = queue[index];
    const after = placeAfterMove(queue, index, step);
    if (prompt !== undefined && after !== undefined)
      actions.editPrompt({ promptId: prompt.promptId, after });
  };
  return (
    <section aria-label="Queue" className="mb-2">
      <div className="mb-1 flex items-center justify-between gap-2">
        <h2 className="text-xs text-muted">
          {queue.length} queued{activity.status === 'held' && ' (paused)'}
        </h2>
        {activity.status === 'held' && (
          <Button onClick={actions.retry} disabled={actions.isRetrying}>
            <Play aria-hidden /> Resume
          </Button>
        )}
      </div>
      <ol className="max-h-40 divide-y divide-line overflow-y-auto rounded-lg border border-line bg-surface">
        {queue.map((prompt, index) => (
          <QueuedPrompt
            key={prompt.promptId}
            prompt={prompt}
            isFirst={index === 0}
            isLast={index === queue.length - 1}
            onMove={(step) => move(index, step)}
          />
        ))}
      </ol>
    </section>
  );
}

interface QueuedPromptProps {
  readonly prompt: Prompt;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onMove: (step: -1 | 1) => void;
}

function QueuedPrompt({ prompt, isFirst, isLast, onMove }: QueuedPromptProps) {
  const { actions } = useSession();
  const [draft, setDraft] = useState<string | null>(null);
  const { promptId, text } = prompt;
  if (draft !== null)
    return (
      <li className="space-y-2 p-2">
        <TextArea
          aria-label="Text of the queued prompt"
          autoFocus
          rows={3}
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
        />
        <div className="flex gap-2">
          <Button
            variant="primary"
            disabled={draft.trim() === ''}
            onClick={() => {
              actions.editPrompt({ promptId, text: draft });
              setDraft(null);
            }}
          >
            Save
          </Button>
          <Button onClick={() => setDraft(null)}>Cancel</Button>
        </div>
      </li>
    );
  return (
    <li className="flex items-center gap-0.5 py-0.5 pr-1 pl-3">
      <span className="min-w-0 flex-1 truncate text-sm">{text}</span>
      {prompt.attachments !== undefined && (
        <span className="mr-1 inline-flex items-center gap-1 text-xs text-muted">
          <Paperclip aria-label="Attached files:" className="size-3.5" />
          {prompt.attachments.length}
        </span>
      )}
      <Button
        variant="ghost"
        size="icon"
        aria-label={`Move up: ${text}`}
        disabled={isFirst}
        onClick={() => onMove(-1)}
      >
        <ArrowUp aria-hidden />
      </Button>
      <Button
        variant="ghost"
        size="icon"
        aria-label={`Move down: ${text}`}
        disabled={isLast}
        onClick={() => onMove(1)}
      >
        <ArrowDown aria-hidden />
      </Button>
      <Button
        variant="ghost"
        size="icon"
        aria-label={`Edit: ${text}`}
        onClick={() => setDraft(text)}
      >
        <Pencil aria-hidden />
      </Button>
      <Button
        variant="ghost"
        size="icon"
        aria-label={`Remove: ${text}`}
        onClick={() => actions.withdrawPrompt(promptId)}
      >
        <X aria-hidden />
      </Button>
    </li>
  );
}
