import { SESSION_EVENTS, type SessionEvent, type SessionEventType } from '@ship/protocol';

/** An event with the newest version of its type, before the log gives it a sequence number. */
export function sessionEvent<Type extends SessionEventType>(
  type: Type,
  data: (SessionEvent & { type: Type })['data'],
): SessionEvent {
  return { type, version: SESSION_EVENTS[type].version, data } as SessionEvent;
}
