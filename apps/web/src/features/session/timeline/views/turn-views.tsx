import { describeRecordingLimit, describeRetry } from '@ship/core';
import { CircleStop, Check, Play, RotateCw, Scissors } from 'lucide-react';
import { Button } from '../../../../ui/button.tsx';
import { formatDuration } from '../../../../ui/duration.ts';
import { ErrorActionLink } from '../../../../ui/error-action.tsx';
import { useNow } from '../../../../ui/use-now.ts';
import { personName } from '../../person-name.ts';
import { useSession } from '../../session-context.ts';
import { newest } from '../items.ts';
import { RaiseBudget } from './budget-view.tsx';
import { Line, NoticeCard } from './frame.tsx';
import type { ViewProps } from './frame.tsx';

/** How a turn ended. If it needs a person and is still the newest turn, it shows buttons. */
export function TurnEndView({ item }: ViewProps) {
  const { state, actions } = useSession();
  const event = newest(item);
  if (event.type !== 'turn.finished') return null;
  const { outcome, turnId } = event.data;
  if (outcome.kind === 'completed') return <Line icon={Check}>Finished</Line>;
  if (outcome.kind === 'stopped')
    return (
      <Line icon={CircleStop}>
        {personName(outcome.by)} stopped the agent. The work so far is kept.
      </Line>
    );
  if (outcome.kind === 'paused')
    return (
      <NoticeCard
        tone="ask"
        title={outcome.message}
        actions={
          state.activity.status === 'paused' &&
          state.activity.turn.turnId === turnId &&
          (outcome.reason === 'budget' ? (
            <RaiseBudget />
          ) : (
            <Button variant="primary" onClick={actions.retry} disabled={actions.isRetrying}>
              <Play aria-hidden /> Continue
            </Button>
          ))
        }
      >
        {outcome.remedy}
      </NoticeCard>
    );
  const isNewest = state.activity.status === 'failed' && state.activity.turn.turnId === turnId;
  return (
    <NoticeCard
      tone="bad"
      title={outcome.error.message}
      actions={
        isNewest && (
          <>
            <Button variant="primary" onClick={actions.retry} disabled={actions.isRetrying}>
              <RotateCw aria-hidden /> Retry
            </Button>
            <ErrorActionLink action={outcome.error.action} />
          </>
        )
      }
    >
      {outcome.error.remedy}
    </NoticeCard>
  );
}

export function RetryView({ item }: ViewProps) {
  const event = newest(item);
  const nowMs = useNow();
  if (event.type !== 'turn.retry-scheduled') return null;
  const waitMs = event.data.nextAttemptAt - nowMs;
  return (
    <Line icon={RotateCw} tone="warn">
      {event.data.error.message}{' '}
      {waitMs > 0 ? `Retrying in ${formatDuration(waitMs)}.` : 'Retried.'}
    </Line>
  );
}

export function StopRequestedView({ item }: ViewProps) {
  const event = newest(item);
  return event.type === 'turn.stop-requested' ? (
    <Line icon={CircleStop}>{personName(event.data.by)} asked the agent to stop.</Line>
  ) : null;
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

export function ProviderRetryView({ item }: ViewProps) {
  const event = newest(item);
  if (event.type !== 'provider.retrying') return null;
  const { reason, attempt } = event.data;
  return (
    <Line icon={RotateCw} tone="warn">
      {sentence(describeRetry(reason))} Retrying (attempt {attempt}).
    </Line>
  );
}

/** The events that were left out of the log, with their amount once the turn has ended. */
export function RecordingLimitView({ item }: ViewProps) {
  const event = newest(item);
  return event.type === 'recording.limited' ? (
    <Line icon={Scissors} tone="warn">
      {describeRecordingLimit(event.data)}
    </Line>
  ) : null;
}
