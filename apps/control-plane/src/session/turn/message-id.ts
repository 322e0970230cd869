import type { TurnId } from '@ship/protocol';

/** What the ids of all messages that we send for one turn start with. */
export function messagePrefix(turnId: TurnId): string {
  return `msg_${turnId.slice('turn_'.length)}x`;
}

/**
 * The id of the message that one attempt of a turn sends. It follows from what is in the log, so that after a crash the
 * agent can be asked whether it has the message, instead of being sent it again.
 */
export function messageIdOf(turnId: TurnId, attempt: number): string {
  return `${messagePrefix(turnId)}${attempt}`;
}
