import type { Diff, GitState } from '@ship/protocol';
import { FileDiff, MessageSquare } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Keys } from '../../ui/kbd.tsx';
import { Empty, FailureNote } from '../../ui/notice.tsx';
import { createPreference, usePreference } from '../../ui/preference.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast-store.ts';
import type { Layout } from '../session/drawer/changes/diff-body.tsx';
import { ReviewContext, useReviewState } from '../session/drawer/changes/use-review.ts';
import { useSession } from '../session/session-context.ts';
import { ChangedLines } from '../sessions/session-facts.tsx';
import { FileTree } from './file-tree.tsx';
import { Overview } from './overview.tsx';
import { ReviewActions } from './review-actions.tsx';
import { useReviewData } from './review-data.ts';
import { ReviewFile } from './review-file.tsx';
import { ReviewHeader } from './review-header.tsx';
import { useFiles } from './use-files.ts';
import type { Files } from './use-files.ts';
import { useReviewKeys } from './use-review-keys.ts';
import { isViewed } from './viewed.ts';

const layoutPreference = createPreference<Layout>(
  'ship.diff-layout',
  ['unified', 'split'],
  'unified',
);
const layouts = [
  { value: 'unified', label: 'Unified' },
  { value: 'split', label: 'Split' },
] as const;
const none: Diff['files'] = [];

interface ReviewScreenProps {
  readonly pullRequest: NonNullable<GitState['pullRequest']>;
}

export function ReviewScreen({ pullRequest }: ReviewScreenProps) {
  const { sessionId, state, actions } = useSession();
  const { view, diff, viewError, diffError, onChanged } = useReviewData(state);
  const files = useFiles(sessionId, diff.data?.files ?? none);
  const { review, submit } = useReviewState(sessionId, actions.send);
  const canSend = review.comments.length > 0 && !actions.isSending;
  const send = async () => {
    if (canSend && (await submit())) toast({ tone: 'ok', title: 'Comments sent to the agent' });
  };
  useReviewKeys(files, () => void send());
  const isCurrent = diff.data?.toSha === view.data?.pullRequest.headSha;
  return (
    <ReviewContext value={review}>
      <ReviewHeader
        known={pullRequest}
        view={view.data}
        actions={
          <ReviewActions
            view={view.data}
            shownSha={isCurrent ? (diff.data?.toSha ?? null) : null}
            onChanged={onChanged}
          />
        }
      />
      <div className="flex md:min-h-0 md:flex-1">
        <FileTree
          files={files.files}
          viewed={files.viewed}
          currentPath={files.currentPath}
          onGo={files.go}
        />
        <div className="min-w-0 flex-1 md:overflow-y-auto">
          {viewError !== null && (
            <FailureNote cause={viewError} onRetry={() => void view.refetch()} className="m-4" />
          )}
          {view.data !== undefined && <Overview view={view.data} />}
          {diffError !== null && (
            <FailureNote cause={diffError} onRetry={() => void diff.refetch()} className="m-4" />
          )}
          {diff.data === undefined && viewError === null && diffError === null && (
            <div aria-busy className="space-y-3 p-4">
              <Skeleton className="h-6 w-64" />
              <Skeleton className="h-48 rounded-lg" />
            </div>
          )}
          {diff.data !== undefined && <FileList diff={diff.data} files={files} />}
        </div>
      </div>
      {review.comments.length > 0 && (
        <div className="sticky bottom-0 z-20 flex shrink-0 items-center gap-3 border-t border-line bg-rail px-4 py-2.5 max-md:bottom-14 sm:px-6">
          <MessageSquare aria-hidden className="size-4 text-muted" />
          <span role="status" className="flex-1 text-sm">
            {review.comments.length === 1 ? '1 comment' : `${review.comments.length} comments`}
            <span className="text-muted max-sm:hidden">, sent together as one prompt</span>
          </span>
          <Button variant="primary" onClick={() => void send()} disabled={!canSend}>
            Send to agent
          </Button>
          <span aria-hidden className="max-md:hidden">
            <Keys keys="mod+enter" />
          </span>
        </div>
      )}
    </ReviewContext>
  );
}

function FileList({ diff, files }: { readonly diff: Diff; readonly files: Files }) {
  const layout = usePreference(layoutPreference);
  if (diff.files.length === 0)
    return (
      <div className="p-4 sm:p-6">
        <Empty icon={FileDiff} title="No changes">
          This pull request has the same files as its base.
        </Empty>
      </div>
    );
  return (
    <>
      <div className="z-20 flex h-12 items-center gap-3 border-b border-line bg-canvas px-3 md:sticky md:top-0">
        <span className="text-sm">
          {diff.files.length === 1 ? '1 file' : `${diff.files.length} files`}{' '}
          <ChangedLines additions={diff.additions} deletions={diff.deletions} />
        </span>
        <span role="status" className="text-sm text-muted tabular-nums">
          {files.viewedCount} of {diff.files.length} viewed
        </span>
        <span className="ml-auto max-sm:hidden">
          <Choice label="Layout" options={layouts} value={layout} onChange={layoutPreference.set} />
        </span>
      </div>
      {files.files.map((file) => (
        <ReviewFile
          key={file.path}
          file={file}
          layout={layout}
          isOpen={files.isOpen(file)}
          isViewed={isViewed(files.viewed, file)}
          onOpen={(isOpen) => files.choose(file.path, isOpen)}
          onViewed={(isOn) => files.markViewed(file, isOn)}
          onFocus={() => files.setCurrentPath(file.path)}
        />
      ))}
      {diff.truncated && <p className="p-4 text-sm text-muted">More files than are listed here.</p>}
    </>
  );
}
