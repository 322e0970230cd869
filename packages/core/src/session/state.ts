import type { Activity, Turn } from '@ship/protocol';

export const MAX_QUEUED_PROMPTS = 100;

/** The turn that has not ended yet; undefined without one. */
export function openTurn(activity: Activity): Turn | undefined {
  switch (activity.status) {
    case 'working':
    case 'retrying':
    case 'stopping':
      return activity.turn;
    case 'idle':
    case 'failed':
    case 'paused':
    case 'closed':
      return undefined;
  }
}
