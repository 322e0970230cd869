import type { BaseUpdate, MergeMethod, PullRequestView } from '@ship/protocol';
import { GitMerge, GitPullRequestClosed, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { loadSessionApi } from '../../api/load.ts';
import { useAction } from '../../data/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { toast } from '../../ui/toast-store.ts';
import { MergeMethodSelect, mergeQuestion } from '../session/drawer/changes/merge-method.tsx';
import { useSession } from '../session/session-context.ts';
import { isTurnRunning } from '../session/activity.ts';

interface ReviewActionsProps {
  readonly view: PullRequestView | undefined;
  /** The commit whose diff is shown; newer commits are not merged. */
  readonly shownSha: string | null;
  readonly onChanged: (view: PullRequestView) => void;
}

/** Unavailable actions are disabled, with the reason in their title. */
export function ReviewActions({ view, shownSha, onChanged }: ReviewActionsProps) {
  const { sessionId, state } = useSession();
  const [method, setMethod] = useState<MergeMethod>('squash');
  const [confirming, setConfirming] = useState<'merge' | 'close' | null>(null);
  const ready = useAction(async () => (await loadSessionApi()).markReady(sessionId), {
    onDone: onChanged,
  });
  const merge = useAction(
    async (sha: string) => (await loadSessionApi()).mergePullRequest(sessionId, method, sha),
    {
      onDone: (next) => {
        onChanged(next);
        toast({ tone: 'ok', title: `Merged into ${next.pullRequest.base}` });
      },
    },
  );
  const close = useAction(async () => (await loadSessionApi()).closePullRequest(sessionId), {
    onDone: onChanged,
  });
  const update = useAction(async () => (await loadSessionApi()).updateFromBase(sessionId), {
    onDone: (answer) => showUpdate(answer, view?.pullRequest.base ?? 'its base'),
  });
  if (view === undefined || view.pullRequest.state !== 'open') return null;
  const { draft, base, number, title, mergeable } = view.pullRequest;
  const isBusy = isTurnRunning(state);
  const isPending = ready.isPending || merge.isPending || close.isPending || update.isPending;
  const mergeBlocker = isBusy
    ? 'The agent is working; wait until it is done'
    : draft
      ? 'This is a draft; mark it ready first'
      : mergeable === false
        ? 'Conflicts with the base; update from base first'
        : shownSha === null
          ? 'The changes are still loading'
          : undefined;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button
        onClick={() => update.mutate(undefined)}
        disabled={isBusy || isPending}
        title={isBusy ? 'The agent is working' : `Merge the latest ${base} into the branch`}
      >
        <RefreshCw aria-hidden /> {update.isPending ? 'Updating…' : 'Update from base'}
      </Button>
      <Button onClick={() => setConfirming('close')} disabled={isPending}>
        <GitPullRequestClosed aria-hidden /> Close PR
      </Button>
      <span className="flex items-center gap-2 max-sm:basis-full">
        {draft && (
          <Button
            variant="primary"
            onClick={() => ready.mutate(undefined)}
            disabled={isPending}
            title="Mark this draft as ready for review"
          >
            Mark ready
          </Button>
        )}
        <MergeMethodSelect value={method} onChange={setMethod} />
        <Button
          variant={draft ? 'outline' : 'primary'}
          onClick={() => setConfirming('merge')}
          disabled={mergeBlocker !== undefined || isPending}
          title={mergeBlocker}
        >
          <GitMerge aria-hidden /> {merge.isPending ? 'Merging…' : 'Merge'}
        </Button>
      </span>
      {confirming === 'merge' && shownSha !== null && (
        <Confirm
          title={mergeQuestion(method, number, base)}
          text={`“${title}”`}
          action="Merge"
          variant="primary"
          onConfirm={() => merge.mutate(shownSha)}
          onClose={() => setConfirming(null)}
        />
      )}
      {confirming === 'close' && (
        <Confirm
          title="Close this pull request?"
          text="Nothing is merged. The branch and its commits stay."
          action="Close PR"
          onConfirm={() => close.mutate(undefined)}
          onClose={() => setConfirming(null)}
        />
      )}
    </div>
  );
}

function showUpdate({ outcome, files }: BaseUpdate, base: string): void {
  if (outcome === 'up-to-date') toast({ tone: 'ok', title: 'Already up to date' });
  if (outcome === 'merged') toast({ tone: 'ok', title: `Branch updated from ${base}` });
  if (outcome === 'conflicted')
    toast({
      tone: 'ask',
      title: 'Conflicts found; the agent was asked to resolve them',
      text: `Changed on both sides: ${files.join(', ')}.`,
    });
}
