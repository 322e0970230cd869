import type { BaseUpdate, MergeMethod, PullRequestView } from '@ship/protocol';
import { GitMerge, GitPullRequestClosed, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { loadSessionApi } from '../../api/load.ts';
import { useAction } from '../../data/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { toast } from '../../ui/toast-store.ts';
import { MergeMethodSelect } from '../session/drawer/changes/merge-method.tsx';
import { useSession } from '../session/session-context.ts';
import { isAtWork } from '../session/words.ts';

interface ReviewActionsProps {
  readonly view: PullRequestView | undefined;
  /** The commit whose diff is on the screen; nothing newer is merged. */
  readonly shownSha: string | null;
  readonly onChanged: (view: PullRequestView) => void;
}

/** Only what is possible now can be pressed; why something is not is in its title. */
export function ReviewActions({ view, shownSha, onChanged }: ReviewActionsProps) {
  const { sessionId, state } = useSession();
  const [method, setMethod] = useState<MergeMethod>('squash');
  const [asked, setAsked] = useState<'merge' | 'close' | null>(null);
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
    onDone: tellUpdate,
  });
  if (view === undefined || view.pullRequest.state !== 'open') return null;
  const { draft, base, title, mergeable } = view.pullRequest;
  const isBusy = isAtWork(state);
  const isPending = ready.isPending || merge.isPending || close.isPending || update.isPending;
  const whyNotMerge = isBusy
    ? 'The agent is working: wait until it is done'
    : draft
      ? 'It is a draft: mark it ready first'
      : mergeable === false
        ? 'It conflicts with its base: update it first'
        : shownSha === null
          ? 'Its changes are not here yet'
          : undefined;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button
        onClick={() => update.mutate(undefined)}
        disabled={isBusy || isPending}
        title={isBusy ? 'The agent is working' : `Bring in what is new in ${base}`}
      >
        <RefreshCw aria-hidden /> {update.isPending ? 'Updating…' : 'Update from base'}
      </Button>
      <Button onClick={() => setAsked('close')} disabled={isPending}>
        <GitPullRequestClosed aria-hidden /> Close
      </Button>
      <span className="flex items-center gap-2 max-sm:basis-full">
        {draft && (
          <Button
            variant="primary"
            onClick={() => ready.mutate(undefined)}
            disabled={isPending}
            title="Tell others that it can be reviewed"
          >
            Mark ready
          </Button>
        )}
        <MergeMethodSelect value={method} onChange={setMethod} />
        <Button
          variant={draft ? 'outline' : 'primary'}
          onClick={() => setAsked('merge')}
          disabled={whyNotMerge !== undefined || isPending}
          title={whyNotMerge}
        >
          <GitMerge aria-hidden /> {merge.isPending ? 'Merging…' : 'Merge'}
        </Button>
      </span>
      {asked === 'merge' && shownSha !== null && (
        <Confirm
          title="Merge this pull request?"
          text={`“${title}” becomes part of ${base}.`}
          action="Merge"
          variant="primary"
          onConfirm={() => merge.mutate(shownSha)}
          onClose={() => setAsked(null)}
        />
      )}
      {asked === 'close' && (
        <Confirm
          title="Close this pull request?"
          text="Nothing is merged. The branch and its commits stay."
          action="Close pull request"
          onConfirm={() => close.mutate(undefined)}
          onClose={() => setAsked(null)}
        />
      )}
    </div>
  );
}

function tellUpdate({ outcome, files }: BaseUpdate): void {
  if (outcome === 'up-to-date') toast({ tone: 'ok', title: 'The base has nothing new' });
  if (outcome === 'merged') toast({ tone: 'ok', title: 'The branch has the newest of its base' });
  if (outcome === 'conflicted')
    toast({
      tone: 'ask',
      title: 'The agent was asked to bring the two together',
      text: `Both changed ${files.join(', ')}.`,
    });
}
