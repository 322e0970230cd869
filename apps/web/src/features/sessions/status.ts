import type { NeedsYou, SessionStatus, SessionSummary } from '@ship/protocol';
import type { Tone } from '../../ui/tone.tsx';

interface StatusLabel {
  readonly label: string;
  readonly tone: Tone;
}

const needs: Readonly<Record<NeedsYou, StatusLabel>> = {
  question: { label: 'Question for you', tone: 'ask' },
  permission: { label: 'Needs permission', tone: 'ask' },
  error: { label: 'Failed', tone: 'bad' },
  plan: { label: 'Plan ready', tone: 'ask' },
  budget: { label: 'Budget reached', tone: 'ask' },
  'step-limit': { label: 'Step limit reached', tone: 'ask' },
  stuck: { label: 'Stuck', tone: 'ask' },
  setup: { label: 'Setup failed', tone: 'bad' },
};

const statuses: Readonly<Record<SessionStatus, StatusLabel>> = {
  queued: { label: 'Queued', tone: 'none' },
  starting: { label: 'Starting', tone: 'busy' },
  idle: { label: 'Waiting for you', tone: 'ask' },
  working: { label: 'Working', tone: 'busy' },
  waiting: { label: 'Waiting for you', tone: 'ask' },
  retrying: { label: 'Retrying', tone: 'warn' },
  stopping: { label: 'Stopping', tone: 'warn' },
  failed: { label: 'Failed', tone: 'bad' },
  closed: { label: 'Closed', tone: 'none' },
};

const reviews = {
  open: { label: 'Ready for review', tone: 'ok' },
  merged: { label: 'Merged', tone: 'ok' },
  closed: { label: 'Pull request closed', tone: 'none' },
} as const;

/** A session's status in a few words. Waiting for a person takes precedence over what the machine does. */
export function presentStatus({
  status,
  needsYou,
  pullRequest,
}: Pick<SessionSummary, 'status' | 'needsYou' | 'pullRequest'>): StatusLabel {
  if (needsYou !== null && status !== 'closed') return needs[needsYou];
  if (status === 'idle' && pullRequest !== null) return reviews[pullRequest.state];
  return statuses[status];
}
