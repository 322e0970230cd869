import type { ShipError } from '@ship/protocol';
import { Link } from '@tanstack/react-router';
import { CircleStop, Check, Play, RotateCw, Settings } from 'lucide-react';
import { Button, buttonStyles } from '../../../../ui/button.tsx';
import { formatDuration } from '../../../../ui/duration.ts';
import { useNow } from '../../../../ui/use-now.ts';
import { useSession } from '../../session-context.ts';
import { newest } from '../items.ts';
import { RaiseBudget } from './budget-view.tsx';
import { Line, NoticeCard } from './frame.tsx';
import type { ViewProps } from './frame.tsx';

/** What is mended in the settings, most often where the models and their keys are. */
const mendedInSettings: ReadonlySet<ShipError['code']> = new Set([
  'credentials-refused',
  'payment-required',
  'price-unknown',
  'model-not-allowed',
  'model-unavailable',
]);

/** Where the remedy sends people, if it is a page of ours. */
const settingsFor = ({ code, remedy }: ShipError) =>
  remedy.includes('Settings → Forges')
    ? '/settings/forges'
    : mendedInSettings.has(code)
      ? '/settings/models'
      : null;

/** How a turn ended; one that needs a person says what can be done, as long as it is still the newest. */
export function TurnEndView({ item }: ViewProps) {
  const { state, actions } = useSession();
  const event = newest(item);
  if (event.type !== 'turn.finished') return null;
  const { outcome, turnId } = event.data;
  if (outcome.kind === 'completed') return <Line icon={Check}>Finished</Line>;
  if (outcome.kind === 'stopped')
    return <Line icon={CircleStop}>Stopped by {outcome.by}. The work so far is kept.</Line>;
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
              <Play aria-hidden /> Go on
            </Button>
          ))
        }
      >
        {outcome.remedy}
      </NoticeCard>
    );
  const settings = settingsFor(outcome.error);
  const isNewest = state.activity.status === 'failed' && state.activity.turn.turnId === turnId;
  return (
    <NoticeCard
      tone="bad"
      title={outcome.error.message}
      actions={
        isNewest && (
          <>
            <Button variant="primary" onClick={actions.retry} disabled={actions.isRetrying}>
              <RotateCw aria-hidden /> Try again
            </Button>
            {settings !== null && (
              <Link to={settings} className={buttonStyles()}>
                <Settings aria-hidden /> Open settings
              </Link>
            )}
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
      {waitMs > 0 ? `Trying again in ${formatDuration(waitMs)}.` : 'Tried again.'}
    </Line>
  );
}

export function StopAskedView({ item }: ViewProps) {
  const event = newest(item);
  return event.type === 'turn.stop-requested' ? (
    <Line icon={CircleStop}>{event.data.by} asked to stop.</Line>
  ) : null;
}

export function ProviderRetryView({ item }: ViewProps) {
  const event = newest(item);
  return event.type === 'provider.retrying' ? (
    <Line icon={RotateCw} tone="warn">
      The model&rsquo;s provider did not answer; the agent tries again (attempt {event.data.attempt}
      ).
    </Line>
  ) : null;
}
