import { CLOSE_CODES, type CloseReason } from '../socket.ts';

/** How a watch is, for people to see. `ended` is final; everything else mends itself. */
export type WatchStatus =
  | { status: 'connecting'; attempt: number }
  | { status: 'catching-up'; seq: number; newestSeq: number }
  | { status: 'live' }
  | { status: 'waiting'; attempt: number; retryAt: number }
  | { status: 'ended'; reason: EndReason };

export type EndReason =
  | Extract<CloseReason, 'sign-in' | 'session-gone' | 'upgrade-client'>
  | 'closed';

/** What cannot get better by trying again. */
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
