import { type Amount, NO_AMOUNT } from './account.ts';

/**
 * A call's money. It reserves what it can cost at worst, then is settled at what it did cost. One whose end nobody
 * reported (its gateway died) is settled at its reservation when its time is up, and corrected if the truth comes after
 * all.
 */
export type CallAccount =
  | { state: 'open'; reserved: Amount; expiresAt: number }
  | { state: 'expired'; spent: Amount }
  | { state: 'settled'; spent: Amount };

export interface CallClosed {
  next: CallAccount;
  /** To add to what was spent; negative where an estimate was too high. */
  delta: Amount;
}

/** Undefined when it was settled before: a repeated report changes nothing. */
export function settleCallAccount(call: CallAccount, spent: Amount): CallClosed | undefined {
  if (call.state === 'settled') return undefined;
  const before = call.state === 'expired' ? call.spent : NO_AMOUNT;
  return {
    next: { state: 'settled', spent },
    delta: { micros: spent.micros - before.micros, tokens: spent.tokens - before.tokens },
  };
}

/** Undefined while there is still time, and for what is closed already. */
export function expireCallAccount(call: CallAccount, nowMs: number): CallClosed | undefined {
  if (call.state !== 'open' || nowMs < call.expiresAt) return undefined;
  return { next: { state: 'expired', spent: call.reserved }, delta: call.reserved };
}
