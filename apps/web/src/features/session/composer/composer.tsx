import { ArrowUp, CircleStop } from 'lucide-react';
import { memo, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { Button } from '../../../ui/button.tsx';
import { useSession } from '../session-context.ts';
import { isAtWork } from '../words.ts';
import { forgetDraft, readDraft, writeDraft } from './draft-storage.ts';
import { QueueList } from './queue-list.tsx';

/** Sends a prompt; while the agent works it waits in the queue. What is typed survives a reload. */
export const Composer = memo(() => {
  const { sessionId, state, actions } = useSession();
  const [text, setText] = useState(() => readDraft(sessionId));
  const isClosed = state.activity.status === 'closed';
  const isBusy = isAtWork(state) || state.queue.length > 0;
  const canSend = text.trim() !== '' && !actions.isSending && !isClosed;
  const change = (next: string) => {
    setText(next);
    writeDraft(sessionId, next);
  };
  const send = async () => {
    if (!canSend) return;
    const sent = text;
    change('');
    try {
      await actions.send(sent);
      forgetDraft(sessionId);
    } catch {
      // The toast says why; the words must not be lost.
      change(sent);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    // On a phone Enter is how a new line is made.
    if (matchMedia('(pointer: coarse)').matches && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    void send();
  };
  return (
    <div className="border-t border-line bg-canvas px-4 py-3 sm:px-6">
      <div className="mx-auto max-w-3xl">
        <QueueList />
        {isClosed ? (
          <p className="py-2 text-center text-sm text-muted">
            This session is closed. Its log stays; start a new one to go on.
          </p>
        ) : (
          <form
            aria-label="Prompt"
            onSubmit={(event) => {
              event.preventDefault();
              void send();
            }}
            className="flex items-end gap-2 rounded-xl border border-line-strong bg-surface p-2 transition-colors focus-within:border-accent"
          >
            <textarea
              id="composer"
              aria-label="Prompt"
              rows={1}
              value={text}
              placeholder={isBusy ? 'Queue a follow-up' : 'Say what to do next'}
              onChange={(event) => change(event.target.value)}
              onKeyDown={onKeyDown}
              className="field-sizing-content max-h-60 min-h-8 min-w-0 flex-1 resize-none bg-transparent px-2 py-1 text-lg outline-none placeholder:text-faint md:text-base"
            />
            {isAtWork(state) && (
              <Button
                variant="stop"
                onClick={actions.stop}
                disabled={actions.isStopping || state.activity.status === 'stopping'}
                className="sm:hidden"
              >
                <CircleStop aria-hidden /> Stop
              </Button>
            )}
            <Button
              type="submit"
              variant="primary"
              size="icon"
              disabled={!canSend}
              aria-label={isBusy ? 'Add to the queue' : 'Send'}
            >
              <ArrowUp aria-hidden />
            </Button>
          </form>
        )}
      </div>
    </div>
  );
});
