import { checkoutNote, environmentNote } from '@ship/core';
import { type DurableEvent, type SessionState, type TurnId, knownEvent } from '@ship/protocol';
import type { WorkLog } from './parts.ts';

const PAGE = 200;

/** The turn's events in the log, page by page: a long turn would not fit into an object's memory. */
export function* eventsOfTurn(store: WorkLog, turnId: TurnId): Generator<DurableEvent> {
  const since = store.state?.agent.turn;
  // Without a start, the turn has not reached the agent yet.
  if (since === null || since === undefined || since.turnId !== turnId) return;
  for (let after = since.sinceSeq - 1; ;) {
    const page = store.log.page(after, PAGE);
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.seq;
    for (const envelope of page) {
      const event = knownEvent(envelope);
      if (event !== undefined && 'turnId' in event.data && event.data.turnId === turnId)
        yield event;
    }
  }
}

/** Notes about the sandbox for the first prompt. Later turns know them from the conversation. */
export function firstNotes({
  turnsFinished,
  environment,
  git,
}: Pick<SessionState, 'turnsFinished' | 'environment' | 'git'>): string[] {
  if (turnsFinished > 0) return [];
  return [environmentNote(environment), checkoutNote(git.checkout)].filter((note) => note !== null);
}

/** The agent's last text in the turn: its own summary of the work. */
export function newestSummary(store: WorkLog, turnId: TurnId): string | null {
  let newest: string | null = null;
  for (const event of eventsOfTurn(store, turnId))
    if (
      event.type === 'text.finished' &&
      event.data.kind === 'text' &&
      event.data.subagentId === null &&
      event.data.text.trim() !== ''
    )
      newest = event.data.text;
  return newest;
}
