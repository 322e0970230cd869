import { ArrowUp, CircleStop, ListChecks } from 'lucide-react';
import { memo, useState } from 'react';
import { cx } from 'class-variance-authority';
import { Button } from '../../../ui/button.tsx';
import { useSession } from '../session-context.ts';
import { isTurnRunning } from '../activity.ts';
import { AttachButton } from '../../attachments/attach-button.tsx';
import { AttachedList } from '../../attachments/attached-list.tsx';
import { useFileDrop } from '../../attachments/use-file-drop.ts';
import { parseCommand } from './commands.ts';
import { clearDraft, readDraft, writeDraft } from './draft-storage.ts';
import { PromptBox } from './prompt-box.tsx';
import { QueueList } from './queue-list.tsx';
import { useAttached } from './use-attached.ts';
import { useSlashCommands } from './use-slash-commands.ts';

/** Sends a prompt, or queues it while the agent works. The draft survives a reload. */
export const Composer = memo(() => {
  const { sessionId, state, actions } = useSession();
  const [text, setText] = useState(() => readDraft(sessionId));
  const attached = useAttached(sessionId);
  const { isOver, dropProps } = useFileDrop(attached.add);
  const isClosed = state.activity.status === 'closed';
  const isHeld = state.activity.status === 'held';
  const isBusy = isTurnRunning(state) || (state.queue.length > 0 && !isHeld);
  const isStoring = attached.files.some(({ stored }) => stored === null);
  const canAct = !actions.isSending && !isClosed && !isStoring;
  const canSend = text.trim() !== '' && canAct;
  const change = (next: string) => {
    setText(next);
    writeDraft(sessionId, next);
  };
  const prompt = async (content: string) => {
    const files = attached.files;
    const stored = files.flatMap((file) => (file.stored === null ? [] : [file.stored]));
    attached.clear();
    try {
      await actions.send(
        content,
        stored.map(({ name, filename }) => ({ name, filename })),
      );
    } catch (cause) {
      attached.setFiles(files);
      throw cause;
    }
  };
  const runCommand = useSlashCommands(prompt);
  const send = async (content: string) => {
    if (content.trim() === '' || !canAct) return;
    const command = parseCommand(content);
    change('');
    try {
      await (command === null ? prompt(content) : runCommand(command));
      clearDraft(sessionId);
    } catch {
      // A toast shows the error; keep the text.
      change(content);
    }
  };
  return (
    <div className="border-t border-line bg-canvas px-4 py-3 sm:px-6">
      <div className="mx-auto max-w-3xl">
        <QueueList />
        {isClosed ? (
          <p className="py-2 text-center text-sm text-muted">
            This session is closed. Its log is kept; start a new session to continue.
          </p>
        ) : (
          <form
            aria-label="Prompt"
            onSubmit={(event) => {
              event.preventDefault();
              void send(text);
            }}
            {...dropProps}
            className={cx(
              'relative rounded-xl border border-line-strong bg-surface p-2 transition-colors focus-within:border-accent',
              isOver && 'border-accent! bg-accent-soft',
            )}
          >
            <AttachedList files={attached.listed} onRemove={attached.remove} />
            <div className="flex items-end gap-1">
              <AttachButton onFiles={attached.add} />
              <PromptBox
                text={text}
                placeholder={
                  isBusy ? 'Queue a follow-up' : 'What next? / for commands, @ for files'
                }
                onChange={change}
                onSend={(content) => void send(content)}
                onFiles={attached.add}
              />
              {state.agent.mode === 'plan' && (
                <button
                  type="button"
                  title="Plan mode: the agent changes no files. Click to switch to build mode."
                  onClick={() => void actions.changeMode('build').catch(() => undefined)}
                  className="mb-1 inline-flex h-7 shrink-0 items-center gap-1.5 rounded-full bg-accent-soft px-2.5 text-xs font-medium text-accent md:h-6"
                >
                  <ListChecks aria-hidden className="size-3.5" /> Plan
                </button>
              )}
              {isTurnRunning(state) && (
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
                aria-label={isBusy ? 'Add to queue' : 'Send'}
              >
                <ArrowUp aria-hidden />
              </Button>
            </div>
          </form>
        )}
      </div>
    </div>
  );
});
