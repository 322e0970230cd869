/** What the long proofs ask of sessions, over kills of whoever would answer. */
import type { SessionId, SessionState } from '@ship/protocol';
import { until } from '../launch.ts';
import type { ShipHost } from './ship-host.ts';

const ANSWER_MS = 90_000;
/** Whoever looks more often takes the machine's time from what it looks at. */
const LOOK_EVERY_MS = 400;

/** Undefined when it does not come to rest in time. */
export function rested(
  host: ShipHost,
  sessionId: SessionId,
  { turns = 1, patienceMs }: { turns?: number; patienceMs: number },
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
    patienceMs,
    LOOK_EVERY_MS,
  ).catch(() => undefined);
}

/** Asked until it is answered: whoever would answer may have been killed a moment ago. */
export async function surely<Answer>(what: string, ask: () => Promise<Answer>): Promise<Answer> {
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
    LOOK_EVERY_MS,
  ).then(
    ({ answer }) => answer,
    () => {
      const reason = newest instanceof Error ? newest.message : String(newest);
      throw new Error(`${what} is not answered: ${reason}`, { cause: newest });
    },
  );
}
