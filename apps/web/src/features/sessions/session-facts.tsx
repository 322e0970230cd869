import type { SessionSummary } from '@ship/protocol';
import { GitMerge, GitPullRequest, GitPullRequestClosed, GitPullRequestDraft } from 'lucide-react';
import { formatUsd } from '../../ui/format.ts';
import { ReviewLink } from './review-link.tsx';

type PullRequest = NonNullable<SessionSummary['pullRequest']>;

const iconOf = ({ state, draft }: PullRequest) =>
  state === 'merged'
    ? GitMerge
    : state === 'closed'
      ? GitPullRequestClosed
      : draft
        ? GitPullRequestDraft
        : GitPullRequest;

const labelOf = ({ state, draft }: PullRequest) =>
  state === 'open' && draft ? 'Draft pull request' : `Pull request, ${state}`;

export function PullRequestMark({ pullRequest }: { readonly pullRequest: PullRequest }) {
  const Icon = iconOf(pullRequest);
  return (
    <span className="inline-flex items-center gap-1" title={labelOf(pullRequest)}>
      <Icon aria-hidden className="size-3.5" />
      <span className="sr-only">{labelOf(pullRequest)} </span>#{pullRequest.number}
    </span>
  );
}

export const ChangedLines = ({
  additions,
  deletions,
}: Pick<SessionSummary, 'additions' | 'deletions'>) => (
  <span className="font-mono text-xs">
    <span className="text-ok">
      +{additions}
      <span className="sr-only"> lines added,</span>
    </span>{' '}
    <span className="text-bad">
      −{deletions}
      <span className="sr-only"> lines removed</span>
    </span>
  </span>
);

interface SessionFactsProps {
  readonly session: SessionSummary;
  /** Hides labels that would not fit. */
  readonly isNarrow?: boolean;
}

/** Step, cost, changed lines and pull request, as far as known. */
export const SessionFacts = ({ session, isNarrow = false }: SessionFactsProps) => {
  const { step, maxSteps, costUsd, additions, deletions, pullRequest, status } = session;
  const isBusy = status === 'working' || status === 'retrying' || status === 'stopping';
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-xs text-muted tabular-nums">
      {isBusy && maxSteps > 0 && (
        <span>
          step {step}/{maxSteps}
        </span>
      )}
      {costUsd !== null && costUsd > 0 && <span>{formatUsd(costUsd)}</span>}
      {additions + deletions > 0 && <ChangedLines additions={additions} deletions={deletions} />}
      {pullRequest !== null && (
        // Above the title's hit area, which covers the whole entry.
        <ReviewLink
          sessionId={session.sessionId}
          className="relative z-10 inline-flex items-center gap-1.5 rounded-full border border-line bg-surface px-2 py-0.5 transition-colors hover:border-line-strong hover:text-ink"
        >
          <span className={pullRequest.state === 'open' && !isNarrow ? '' : 'sr-only'}>
            Review{' '}
          </span>
          <PullRequestMark pullRequest={pullRequest} />
        </ReviewLink>
      )}
    </span>
  );
};
