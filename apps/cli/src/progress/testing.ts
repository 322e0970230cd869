import type { DurableEnvelope } from '@ship/protocol';
import { createId } from '@ship/protocol';

const CREATED_AT = 1_000_000;

/** Builds a log; each event is one second after the previous one. */
export function scriptedLog() {
  const events: DurableEnvelope[] = [];
  const promptId = createId('prm');
  const turnId = createId('turn');
  const sessionId = createId('ses');
  const add = (type: string, data: unknown, version = 1) => {
    const seq = events.length + 1;
    events.push({ seq, at: CREATED_AT + seq * 1_000, type, version, data });
    return log;
  };
  const log = {
    events,
    promptId,
    turnId,
    sessionId,
    add,
    created: () =>
      add('session.created', {
        sessionId,
        title: 'Fix it',
        repository: '/r',
        model: 'demo/demo',
      }).add('prompt.queued', { promptId, text: 'Fix it', author: 'ann' }),
    started: () => add('turn.started', { turnId, promptId, attempt: 1 }),
    finished: (outcome: object) => add('turn.finished', { turnId, outcome }, 2),
  };
  return log;
}
