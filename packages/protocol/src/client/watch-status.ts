import { CLOSE_CODES, type CloseReason } from '../socket.ts';

/** The state of a subscription, for display. `ended` is final; every other state recovers automatically. */
export type WatchStatus =
  | { status: 'connecting'; attempt: number }
  | { status: 'catching-up'; seq: number; newestSeq: number }
  | { status: 'live' }
  | { status: 'waiting'; attempt: number; retryAt: number }
  | { status: 'ended'; reason: EndReason };

export type EndReason =
  | Extract<CloseReason, 'sign-in' | 'session-gone' | 'upgrade-client'>
  | 'closed';

/** The reason of a close code after which a reconnect does not help; undefined for all others. */
export function finalReason(code: number): EndReason | undefined {
  switch (code) {
    case CLOSE_CODES['sign-in']:
      return 'sign-in';
    case CLOSE_CODES['session-gone']:
      return 'session-gone';
    case CLOSE_CODES['upgrade-client']:
      return 'upgrade-client';
    default:
      return undefined;
  }
}
