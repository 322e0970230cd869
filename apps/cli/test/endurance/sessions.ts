/** Session requests for the endurance tests, which survive kills of the server. */
import type { SessionId, SessionState } from '@ship/protocol';
import { until } from '../launch.ts';
import type { ShipHost } from './ship-host.ts';

const ANSWER_MS = 90_000;
/** More frequent polling would take processor time from the tested processes. */
const POLL_INTERVAL_MS = 400;

/** Waits until the session is idle or stuck; undefined after the timeout. */
export function untilIdle(
  host: ShipHost,
  sessionId: SessionId,
  { turns = 1, timeoutMs }: { turns?: number; timeoutMs: number },
): Promise<SessionState | undefined> {
  return until(
    'its end',
    async () => {
      const view = await host.client.session(sessionId).catch(() => undefined);
      if (view === undefined) return undefined;
      const { activity, queue, turnsFinished } = view.state;
      const isStuck = ['failed', 'paused', 'closed'].includes(activity.status);
      const isOver = activity.status === 'idle' && queue.length === 0 && turnsFinished >= turns;
      return isStuck || isOver ? view.state : undefined;
    },
    timeoutMs,
    POLL_INTERVAL_MS,
  ).catch(() => undefined);
}

/** Retries until the server answers: it may just have been killed. */
export async function retryUntilAnswered<Answer>(
  what: string,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  let newest: unknown;
  return until(
    what,
    async () => {
      try {
        return { answer: await ask() };
      } catch (error) {
        newest = error;
        return undefined;
      }
    },
    ANSWER_MS,
    POLL_INTERVAL_MS,
  ).then(
    ({ answer }) => answer,
    () => {
      const reason = newest instanceof Error ? newest.message : String(newest);
      throw new Error(`${what} is not answered: ${reason}`, { cause: newest });
    },
  );
}
