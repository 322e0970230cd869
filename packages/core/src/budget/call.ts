import { type Amount, NO_AMOUNT } from './account.ts';

/**
 * The budget account of one call. It reserves the worst-case cost, then is settled at the real cost. A call whose end was never
 * reported (its gateway died) expires at its full reservation, and is corrected if a report still arrives.
 */
export type CallAccount =
  | { state: 'open'; reserved: Amount; expiresAt: number }
  | { state: 'expired'; spent: Amount }
  | { state: 'settled'; spent: Amount };

export interface CallClosed {
  next: CallAccount;
  /** Added to the spent amount; negative when an estimate was too high. */
  delta: Amount;
}

/** Undefined when the call is already settled: a repeated report changes nothing. */
export function settleCallAccount(call: CallAccount, spent: Amount): CallClosed | undefined {
  if (call.state === 'settled') return undefined;
  const before = call.state === 'expired' ? call.spent : NO_AMOUNT;
  return {
    next: { state: 'settled', spent },
    delta: { micros: spent.micros - before.micros, tokens: spent.tokens - before.tokens },
  };
}

/** Undefined before the call expires, and for a call that is already closed. */
export function expireCallAccount(call: CallAccount, nowMs: number): CallClosed | undefined {
  if (call.state !== 'open' || nowMs < call.expiresAt) return undefined;
  return { next: { state: 'expired', spent: call.reserved }, delta: call.reserved };
}
