import { type DurableEvent, type TurnId, knownEvent } from '@ship/protocol';
import type { WorkLog } from './parts.ts';

const PAGE = 500;

/** What the log has of a turn. */
export function eventsOfTurn(store: WorkLog, turnId: TurnId): DurableEvent[] {
  const since = store.state?.agent.turn;
  const events: DurableEvent[] = [];
  // Without a place to begin at, the turn has not been told to the agent yet.
  if (since === null || since === undefined || since.turnId !== turnId) return events;
  for (let after = since.sinceSeq - 1; ;) {
    const page = store.log.page(after, PAGE);
    const last = page.at(-1);
    if (last === undefined) return events;
    after = last.seq;
    for (const envelope of page) {
      const event = knownEvent(envelope);
      if (event !== undefined && 'turnId' in event.data && event.data.turnId === turnId)
        events.push(event);
    }
  }
}

/** What the agent said last in the turn: its own account of the work. */
export function newestSummary(store: WorkLog, turnId: TurnId): string | null {
  for (const event of eventsOfTurn(store, turnId).toReversed())
    if (
      event.type === 'text.finished' &&
      event.data.kind === 'text' &&
      event.data.subagentId === null &&
      event.data.text.trim() !== ''
    )
      return event.data.text;
  return null;
}
