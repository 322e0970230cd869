import type { TurnId } from '@ship/protocol';

/** The common prefix of the ids of all messages that Ship sends for one turn. */
export function messagePrefix(turnId: TurnId): string {
  return `msg_${turnId.slice('turn_'.length)}x`;
}

/**
 * The id of the message that one attempt of a turn sends. Derived from the log, so that after a crash the agent can be asked
 * whether it has the message, instead of getting it twice.
 */
export function messageIdOf(turnId: TurnId, attempt: number): string {
  return `${messagePrefix(turnId)}${attempt}`;
}
