import type { MergeMethod } from '@ship/protocol';
import { useState } from 'react';
import { loadSessionApi } from '../../../../api/load.ts';
import { useAction } from '../../../../data/use-action.ts';
import { Button } from '../../../../ui/button.tsx';
import { Confirm } from '../../../../ui/confirm.tsx';
import { PullRequestMark } from '../../../sessions/session-facts.tsx';
import { ReviewLink } from '../../../sessions/review-link.tsx';
import { useSession } from '../../session-context.ts';
import { MergeMethodSelect, mergeQuestion } from './merge-method.tsx';

/** Pull request actions above the diff. */
export function ReviewBar() {
  const { sessionId, state } = useSession();
  const { pullRequest, pushedSha } = state.git;
  const [method, setMethod] = useState<MergeMethod>('squash');
  const [isMerging, setIsMerging] = useState(false);
  const ready = useAction(async () => (await loadSessionApi()).markReady(sessionId));
  const merge = useAction(async () =>
    (await loadSessionApi()).mergePullRequest(sessionId, method, pushedSha ?? ''),
  );
  if (pullRequest === null) return null;
  const { number, title, state: prState, draft } = pullRequest;
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-2 text-sm">
      <p className="flex min-w-0 basis-full items-center gap-2">
        <span className="text-muted">
          <PullRequestMark pullRequest={pullRequest} />
        </span>
        <span className="min-w-0 flex-1 truncate font-medium" title={title}>
          {title}
        </span>
        <ReviewLink sessionId={sessionId} className="shrink-0 text-accent hover:underline">
          Full review
        </ReviewLink>
      </p>
      {prState === 'open' && draft && (
        <Button
          variant="primary"
          onClick={() => ready.mutate(undefined)}
          disabled={ready.isPending}
          title="Drafts can’t be merged: mark it ready for review first"
        >
          Mark ready
        </Button>
      )}
      {prState === 'open' && !draft && (
        <>
          <MergeMethodSelect value={method} onChange={setMethod} />
          <Button variant="primary" onClick={() => setIsMerging(true)} disabled={merge.isPending}>
            Merge
          </Button>
        </>
      )}
      {prState !== 'open' && <span className="text-muted">{prState}</span>}
      {isMerging && (
        <Confirm
          title={mergeQuestion(method, number, state.git.base ?? 'its base')}
          text={`“${title}”`}
          action="Merge"
          variant="primary"
          onConfirm={() => merge.mutate(undefined)}
          onClose={() => setIsMerging(false)}
        />
      )}
    </div>
  );
}
