import {
  GitBranch,
  GitCommitHorizontal,
  GitMerge,
  GitPullRequest,
  GitPullRequestDraft,
  History,
  TriangleAlert,
} from 'lucide-react';
import { SKIP_REASONS } from '@ship/core';
import type { SkippedFile } from '@ship/protocol';
import { buttonStyles } from '../../../../ui/button.tsx';
import { ChangedLines } from '../../../sessions/session-facts.tsx';
import { ReviewLink } from '../../../sessions/review-link.tsx';
import { useSession } from '../../session-context.ts';
import { newest } from '../items.ts';
import { Line, NoticeCard } from './frame.tsx';
import type { ViewProps } from './frame.tsx';

const short = (sha: string) => sha.slice(0, 8);

export function BranchView({ item }: ViewProps) {
  const event = newest(item);
  return event.type === 'branch.made' ? (
    <Line icon={GitBranch}>
      Created branch <code className="font-mono">{event.data.branch}</code> from {event.data.base}
      {event.data.notes?.map((note) => (
        <span key={note} className="block">
          {note}
        </span>
      ))}
    </Line>
  ) : null;
}

export function BranchRenamedView({ item }: ViewProps) {
  const event = newest(item);
  return event.type === 'branch.renamed' ? (
    <Line icon={GitBranch}>
      Renamed the branch to <code className="font-mono">{event.data.branch}</code>.
    </Line>
  ) : null;
}

export function WorkRestoredView({ item }: ViewProps) {
  const event = newest(item);
  return event.type === 'work.restored' ? (
    <Line icon={History}>
      Restored the work in a new sandbox from{' '}
      {event.data.from === 'checkpoint' ? 'the last checkpoint' : 'the branch'}.
    </Line>
  ) : null;
}

const skippedText = (files: readonly SkippedFile[]): string =>
  `Left out: ${files.map(({ path, reason }) => `${path} (${SKIP_REASONS[reason]})`).join(', ')}`;

export function CommitView({ item }: ViewProps) {
  const event = newest(item);
  if (event.type !== 'commit.made') return null;
  const { sha, message, additions, deletions, skipped } = event.data;
  return (
    <>
      <Line icon={GitCommitHorizontal}>
        <code className="font-mono">{short(sha)}</code> {message.split('\n')[0]}{' '}
        <ChangedLines additions={additions} deletions={deletions} />
      </Line>
      {skipped.length > 0 && (
        <Line icon={TriangleAlert} tone="warn">
          {skippedText(skipped)}
        </Line>
      )}
    </>
  );
}

export function BaseMergedView({ item }: ViewProps) {
  const event = newest(item);
  return event.type === 'base.merged' ? (
    <Line icon={GitMerge}>Merged the newer commits of the base into the branch.</Line>
  ) : null;
}

export function BranchMovedOutsideView({ item }: ViewProps) {
  const event = newest(item);
  return event.type === 'branch.moved-outside' ? (
    <Line icon={GitBranch} tone="warn">
      <code className="font-mono">{event.data.branch}</code> was{' '}
      {event.data.sha === null ? 'deleted' : 'pushed to'} outside of Ship.
    </Line>
  ) : null;
}

const DELETED_BECAUSE = {
  merged: 'its pull request is merged',
  closed: 'its pull request is closed',
  ended: 'the session is closed',
} as const;

export function BranchDeletedView({ item }: ViewProps) {
  const event = newest(item);
  return event.type === 'branch.deleted' ? (
    <Line icon={GitBranch}>
      Deleted the branch <code className="font-mono">{event.data.branch}</code>:{' '}
      {DELETED_BECAUSE[event.data.reason]}.
    </Line>
  ) : null;
}

export function FilesSkippedView({ item }: ViewProps) {
  const event = newest(item);
  return event.type === 'files.skipped' ? (
    <Line icon={TriangleAlert} tone="warn">
      {skippedText(event.data.files)}
    </Line>
  ) : null;
}

export function CheckoutNotedView({ item }: ViewProps) {
  const event = newest(item);
  if (event.type !== 'checkout.noted') return null;
  const { submodules, initialized = [], lfsFiles } = event.data;
  return (
    <>
      {initialized.map(({ path, from }) => (
        <Line key={path} icon={GitBranch}>
          Checked out submodule <code className="font-mono">{path}</code> from {from}.
        </Line>
      ))}
      {submodules.map(({ path, reason }) => (
        <Line key={path} icon={TriangleAlert} tone="warn">
          Submodule <code className="font-mono">{path}</code> was not initialized: {reason}.
        </Line>
      ))}
      {lfsFiles > 0 && (
        <Line icon={TriangleAlert} tone="warn">
          Git LFS: {lfsFiles.toLocaleString('en-US')} {lfsFiles === 1 ? 'file is' : 'files are'} in
          the sandbox as pointers, without their content.
        </Line>
      )}
    </>
  );
}

export function RepositoryMovedView({ item }: ViewProps) {
  const event = newest(item);
  if (event.type !== 'repository.moved') return null;
  return event.data.to === null ? (
    <Line icon={GitBranch}>The repository has its original name again.</Line>
  ) : (
    <Line icon={GitBranch} tone="warn">
      The repository was renamed to <code className="font-mono">{event.data.to}</code>.
    </Line>
  );
}

export function PullRequestOpenedView({ item }: ViewProps) {
  const { sessionId } = useSession();
  const event = newest(item);
  if (event.type !== 'pull-request.opened') return null;
  const { number, title, draft } = event.data;
  return (
    <NoticeCard
      tone="plain"
      title={
        <span className="flex items-center gap-2">
          {draft ? (
            <GitPullRequestDraft aria-hidden className="size-4 text-accent" />
          ) : (
            <GitPullRequest aria-hidden className="size-4 text-accent" />
          )}
          {draft ? 'Draft pull request' : 'Pull request'} #{number}
        </span>
      }
      actions={
        <ReviewLink sessionId={sessionId} className={buttonStyles()}>
          Review #{number}
        </ReviewLink>
      }
    >
      {title}
    </NoticeCard>
  );
}

export function PullRequestStateView({ item }: ViewProps) {
  const event = newest(item);
  if (event.type !== 'pull-request.state-changed') return null;
  const { number, state, draft } = event.data;
  const words = state === 'open' ? (draft ? 'a draft again' : 'ready for review') : state;
  return (
    <Line icon={state === 'merged' ? GitMerge : GitPullRequest}>
      Pull request #{number} is {words}.
    </Line>
  );
}

export function ConflictView({ item }: ViewProps) {
  const event = newest(item);
  return event.type === 'git.conflicted' ? (
    <NoticeCard
      tone="ask"
      title={
        event.data.with === 'base'
          ? 'The base has changes that conflict with this work'
          : 'Someone pushed changes that conflict with this work'
      }
    >
      {event.data.files.join(', ')}
    </NoticeCard>
  ) : null;
}

export const ConflictResolvedView = () => <Line icon={GitMerge}>Resolved the conflict.</Line>;
