import type { SessionState } from '@ship/protocol';
import type { Tone } from '../../ui/tone.tsx';

type Busy = 'working' | 'retrying' | 'stopping';

/** Whether a turn runs that can be stopped. */
export const isTurnRunning = ({ activity }: Pick<SessionState, 'activity'>): boolean =>
  (['working', 'retrying', 'stopping'] satisfies Busy[] as string[]).includes(activity.status);

interface StatusLabel {
  readonly label: string;
  readonly tone: Tone;
}

const activities: Readonly<Record<SessionState['activity']['status'], StatusLabel>> = {
  idle: { label: 'Waiting for you', tone: 'ask' },
  working: { label: 'Working', tone: 'busy' },
  retrying: { label: 'Retrying', tone: 'warn' },
  stopping: { label: 'Stopping', tone: 'warn' },
  failed: { label: 'Failed', tone: 'bad' },
  paused: { label: 'Paused', tone: 'ask' },
  held: { label: 'Stopped', tone: 'ask' },
  closed: { label: 'Closed', tone: 'none' },
};

/** The session's status from its log, in one or two words. */
export function describeState(
  state: Pick<SessionState, 'activity' | 'sandbox' | 'queue'>,
): StatusLabel {
  const { activity, sandbox, queue } = state;
  if (activity.status !== 'idle') return activities[activity.status];
  if (sandbox.status === 'failed') return { label: 'Sandbox failed', tone: 'bad' };
  if (sandbox.status === 'starting' || sandbox.status === 'retrying')
    return { label: 'Starting', tone: 'busy' };
  if (queue.length > 0) return { label: 'Queued', tone: 'none' };
  if (sandbox.status === 'frozen' || sandbox.status === 'asleep')
    return { label: 'Sleeping', tone: 'none' };
  return activities.idle;
}
