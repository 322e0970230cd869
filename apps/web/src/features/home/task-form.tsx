import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { cx } from 'class-variance-authority';
import { ArrowUp } from 'lucide-react';
import { useRef, useState } from 'react';
import { loadSessionApi } from '../../api/load.ts';
import { newRequestId } from '../../api/request-id.ts';
import { settingsQuery } from '../../data/queries.ts';
import { useAction } from '../../data/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { FailureNote } from '../../ui/notice.tsx';
import { AttachButton } from '../attachments/attach-button.tsx';
import { AttachedList } from '../attachments/attached-list.tsx';
import { pasteFiles, useFileDrop } from '../attachments/use-file-drop.ts';
import { ModelSelect } from '../models/model-select.tsx';
import { readTask, rememberRepository, rememberedRepository } from './read-task.ts';
import { RepositoryPicker } from './repository-picker.tsx';
import { OptionField, optionStyles } from './option-field.tsx';
import { startTask } from './start-task.ts';
import { useTaskFiles } from './use-task-files.ts';

/** Prewarms an agent while the task is typed. On failure the session starts without it. */
async function prewarmDraft() {
  try {
    return (await (await loadSessionApi()).prewarmDraft()).draftId;
  } catch {
    return null;
  }
}

/** The form that starts a session. Only task and repository are required. */
export function TaskForm() {
  const navigate = useNavigate();
  const { data: settings } = useQuery(settingsQuery);
  const [requestId, setRequestId] = useState(newRequestId);
  const draft = useRef<ReturnType<typeof prewarmDraft> | null>(null);
  const [prompt, setPrompt] = useState('');
  const [repository, setRepository] = useState(rememberedRepository);
  const [base, setBase] = useState('');
  const [model, setModel] = useState('');
  const [budget, setBudget] = useState('');
  const [isPlanFirst, setIsPlanFirst] = useState(false);
  const attached = useTaskFiles();
  const { isOver, dropProps } = useFileDrop(attached.add);
  const task = readTask({ prompt, repository, base, model, budget });
  const start = useAction(
    async () => {
      if (!task.ok) return undefined;
      rememberRepository(task.session.repository);
      return startTask(
        {
          requestId,
          draftId: await draft.current,
          source: 'web',
          mode: isPlanFirst ? 'plan' : 'build',
          ...task.session,
        },
        attached.files,
      );
    },
    {
      showsErrorInline: true,
      onDone: (sessionId) => {
        if (sessionId === undefined) return;
        setPrompt('');
        attached.clear();
        setRequestId(newRequestId());
        draft.current = null;
        void navigate({ to: '/sessions/$sessionId', params: { sessionId } });
      },
    },
  );
  // Reusing the id for a changed task would be a conflict, so an edit after a failure makes a new request id.
  const change =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      if (start.isError) setRequestId(newRequestId());
      set(value);
    };
  const submit = () => {
    if (task.ok && !start.isPending) start.mutate(undefined);
  };
  return (
    <form
      aria-label="New task"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      {...dropProps}
      className={cx(
        'rounded-xl border border-line-strong bg-surface shadow-card transition-colors focus-within:border-accent',
        isOver && 'border-accent! bg-accent-soft',
      )}
    >
      <textarea
        id="new-task"
        aria-label="Task"
        autoFocus
        rows={3}
        value={prompt}
        placeholder="Describe a task: what should change, and how to tell that it works"
        onChange={(event) => {
          draft.current ??= prewarmDraft();
          change(setPrompt)(event.target.value);
        }}
        onPaste={pasteFiles(attached.add)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
          event.preventDefault();
          submit();
        }}
        className="field-sizing-content max-h-[50dvh] min-h-24 w-full resize-none rounded-t-xl bg-transparent px-4 pt-3.5 text-lg outline-none placeholder:text-faint"
      />
      {attached.listed.length > 0 && (
        <div className="px-2 pb-1">
          <AttachedList files={attached.listed} onRemove={attached.remove} />
        </div>
      )}
      <div className="flex flex-wrap items-center gap-2 px-3 pt-1 pb-3 md:gap-1.5">
        <RepositoryPicker value={repository} onChange={change(setRepository)} />
        <OptionField
          label="Base branch"
          value={base}
          placeholder="Default branch"
          width="w-21"
          onChange={change(setBase)}
        />
        <ModelSelect
          aria-label="Model"
          title="Model"
          value={model}
          emptyLabel={(fallback) => fallback ?? 'Default model'}
          onChange={change(setModel)}
          className={`${optionStyles} field-sizing-content max-w-32`}
        />
        <OptionField
          label="Budget in USD"
          prefix="$"
          value={budget}
          placeholder={settings?.budgets.sessionUsd?.toString() ?? 'No limit'}
          width="w-11"
          inputMode="decimal"
          problem={task.ok ? null : (task.problems.budget ?? null)}
          onChange={change(setBudget)}
        />
        <label
          title="The agent proposes a plan and waits for your approval"
          className={`${optionStyles} cursor-pointer`}
        >
          <input
            type="checkbox"
            checked={isPlanFirst}
            onChange={(event) => change(setIsPlanFirst)(event.target.checked)}
            className="size-3.5 accent-(--brand)"
          />
          Plan first
        </label>
        <div className="ml-auto flex items-center gap-2 md:gap-1.5">
          <AttachButton onFiles={attached.add} />
          <Button
            type="submit"
            variant="primary"
            title="Start (Ctrl+Enter)"
            aria-keyshortcuts="Control+Enter Meta+Enter"
            disabled={!task.ok || start.isPending}
          >
            <ArrowUp aria-hidden /> {start.isPending ? 'Starting…' : 'Start'}
          </Button>
        </div>
      </div>
      {start.error !== null && <FailureNote cause={start.error} className="mx-3 mb-3" />}
    </form>
  );
}
