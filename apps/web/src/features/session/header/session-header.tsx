import { summarize } from '@ship/core';
import type { SessionSummary } from '@ship/protocol';
import { CircleStop, GitBranch, PanelRight } from 'lucide-react';
import { memo } from 'react';
import { Button } from '../../../ui/button.tsx';
import { formatStopwatch, formatUsd, repositoryName } from '../../../ui/format.ts';
import { ToneBadge } from '../../../ui/tone.tsx';
import { useNow } from '../../../ui/use-now.ts';
import { PullRequestMark } from '../../sessions/session-facts.tsx';
import { ReviewLink } from '../../sessions/review-link.tsx';
import { presentStatus } from '../../sessions/status.ts';
import { useSession } from '../session-context.ts';
import { isTurnRunning, describeState } from '../activity.ts';
import { EditableTitle } from './editable-title.tsx';
import { ModelControl } from './model-control.tsx';
import { Presence } from './presence.tsx';
import { SessionMenu } from './session-menu.tsx';

interface SessionHeaderProps {
  readonly watchers: readonly string[];
  readonly isDrawerOpen: boolean;
  readonly onDrawer: () => void;
}

/** Always visible: title, status, cost and Stop. */
export const SessionHeader = memo(({ watchers, isDrawerOpen, onDrawer }: SessionHeaderProps) => {
  const { state, actions } = useSession();
  const summary = summarize(state, state.lastActiveAt);
  // A status that needs a person or a review goes before the machine's status.
  const needsPerson =
    summary.needsYou !== null || (summary.status === 'idle' && summary.pullRequest !== null);
  const { label, tone } = needsPerson ? presentStatus(summary) : describeState(state);
  return (
    <header className="border-b border-line bg-canvas px-4 py-2.5 sm:px-6">
      <div className="flex items-center gap-2">
        <EditableTitle title={state.title} onRename={actions.rename} />
        <span className="ml-auto" />
        <span role="status" className="shrink-0 max-sm:sr-only">
          <ToneBadge tone={tone}>{label}</ToneBadge>
        </span>
        <Presence watchers={watchers} />
        {isTurnRunning(state) && (
          <Button
            variant="stop"
            className="max-sm:hidden"
            title="Stop the agent (Esc Esc)"
            onClick={actions.stop}
            disabled={actions.isStopping || state.activity.status === 'stopping'}
          >
            <CircleStop aria-hidden /> Stop
          </Button>
        )}
        <Button
          variant="ghost"
          size="icon"
          aria-label="Drawer"
          aria-pressed={isDrawerOpen}
          onClick={onDrawer}
        >
          <PanelRight aria-hidden />
        </Button>
        <SessionMenu />
      </div>
      <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
        <span aria-hidden className="sm:hidden">
          <ToneBadge tone={tone}>{label}</ToneBadge>
        </span>
        <span className="max-w-48 truncate" title={state.repository}>
          {repositoryName(state.repository)}
        </span>
        {summary.branch !== null && (
          // On phones it would take a separate row; the timeline shows it too.
          <span
            title={summary.branch}
            className="inline-flex max-w-60 items-center gap-1 font-mono text-xs max-sm:hidden"
          >
            <GitBranch aria-hidden className="size-3.5 shrink-0" />
            <span className="truncate">{summary.branch}</span>
          </span>
        )}
        <ModelControl />
        <Progress summary={summary} />
        {summary.pullRequest !== null && (
          <ReviewLink
            sessionId={state.sessionId}
            className="inline-flex items-center rounded-full border border-line px-2 py-px text-xs hover:border-line-strong hover:text-ink"
          >
            <PullRequestMark pullRequest={summary.pullRequest} />
          </ReviewLink>
        )}
      </div>
    </header>
  );
});

/** "step 14/25 · 6m12 · $0.83 of $5.00", without unknown parts. */
function Progress({ summary }: { readonly summary: SessionSummary }) {
  const { state } = useSession();
  const nowMs = useNow();
  const { activity, budgetUsd } = state;
  const startedAt = 'turn' in activity && isTurnRunning(state) ? activity.turn.startedAt : null;
  const cost = summary.costUsd;
  const parts = [
    summary.maxSteps > 0 && startedAt !== null ? `step ${summary.step}/${summary.maxSteps}` : null,
    startedAt === null ? null : formatStopwatch(nowMs - startedAt),
    cost === null || (cost === 0 && budgetUsd === null)
      ? null
      : `${formatUsd(cost)}${budgetUsd === null ? '' : ` of ${formatUsd(budgetUsd)}`}`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : <span className="tabular-nums">{parts.join(' · ')}</span>;
}
