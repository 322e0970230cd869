import { useQuery } from '@tanstack/react-query';
import type { DurableEnvelope } from '@ship/protocol';
import { FileDiff } from 'lucide-react';
import { useState } from 'react';
import { loadSessionApi } from '../../../../api/load.ts';
import { useLastingError } from '../../../../data/use-lasting-error.ts';
import { Button } from '../../../../ui/button.tsx';
import { Choice } from '../../../../ui/choice.tsx';
import { Empty, FailureNote } from '../../../../ui/notice.tsx';
import { Skeleton } from '../../../../ui/skeleton.tsx';
import { ChangedLines } from '../../../sessions/session-facts.tsx';
import { useSession } from '../../session-context.ts';
import type { PaneProps } from '../panes.ts';
import { FileDiffView } from './file-diff.tsx';
import { LoggedEdits } from './logged-edits.tsx';
import { ReviewBar } from './review-bar.tsx';
import { ReviewContext, useReviewState } from './use-review.ts';
import type { Layout } from './diff-body.tsx';

const layouts = [
  { value: 'unified', label: 'Unified' },
  { value: 'split', label: 'Split' },
] as const;

/** The session's diff against its base; refetched when the agent has changed something. */
export default function ChangesPane({ feed, isShown }: PaneProps) {
  const [layout, setLayout] = useState<Layout>('unified');
  const { sessionId } = feed.state;
  const { actions } = useSession();
  const { review, submit } = useReviewState(sessionId, actions.send);
  const read = useQuery({
    queryKey: ['diff', sessionId, lastChange(feed.events)],
    queryFn: async ({ signal }) => (await loadSessionApi()).readDiff(sessionId, signal),
    enabled: isShown,
    placeholderData: (before) => before,
    staleTime: Infinity,
  });
  const { data, refetch, isFetching } = read;
  const error = useLastingError(read);
  return (
    <ReviewContext value={review}>
      <ReviewBar />
      <div className="flex shrink-0 items-center gap-3 border-b border-line px-3 py-2">
        <Choice label="Layout" options={layouts} value={layout} onChange={setLayout} />
        {data !== undefined && (
          <span className="text-sm text-muted">
            {data.files.length === 1 ? '1 file' : `${data.files.length} files`}{' '}
            <ChangedLines additions={data.additions} deletions={data.deletions} />
          </span>
        )}
        <span role="status" className="ml-auto text-xs text-muted">
          {isFetching ? 'Loading…' : data?.source === 'forge' ? 'as pushed' : ''}
        </span>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {data === undefined && error === null && <Skeleton className="m-3 h-40 rounded-lg" />}
        {data === undefined && error !== null && (
          <>
            <FailureNote cause={error} onRetry={() => void refetch()} className="m-3" />
            <LoggedEdits events={feed.events} />
          </>
        )}
        {data?.files.length === 0 && (
          <div className="p-3">
            <Empty icon={FileDiff} title="No changes yet">
              Files that the agent changes appear here, committed or not.
            </Empty>
          </div>
        )}
        {data?.files.map((file) => (
          <FileDiffView key={file.path} file={file} layout={layout} />
        ))}
        {data?.truncated === true && (
          <p className="p-4 text-sm text-muted">More files than are listed here.</p>
        )}
      </div>
      {review.comments.length > 0 && (
        <div className="flex shrink-0 items-center gap-3 border-t border-line bg-rail px-3 py-2">
          <span className="flex-1 text-sm">
            {review.comments.length === 1 ? '1 comment' : `${review.comments.length} comments`}
          </span>
          <Button variant="primary" onClick={() => void submit()} disabled={actions.isSending}>
            Send to agent
          </Button>
        </div>
      )}
    </ReviewContext>
  );
}

const changing = new Set(['tool.finished', 'commit.made', 'turn.finished', 'work.restored']);

const lastChange = (events: readonly DurableEnvelope[]): number =>
  events.findLast(({ type }) => changing.has(type))?.seq ?? 0;
