/** Money in whole micro-dollars: sums of fractions would drift. */
export interface Amount {
  micros: number;
  tokens: number;
}

export const NO_AMOUNT: Amount = { micros: 0, tokens: 0 };

export function addAmounts(a: Amount, b: Amount): Amount {
  return { micros: a.micros + b.micros, tokens: a.tokens + b.tokens };
}

/** Null means no cap. */
export interface BudgetCaps {
  micros: number | null;
  tokens: number | null;
  /** Nobody chose the cap in dollars: it is for calls that cost something known, and refuses no others. */
  isDefault?: boolean;
}

/** What was spent, and what calls under way have reserved: both are gone as far as the next call is concerned. */
export interface BudgetAccount {
  spent: Amount;
  reserved: Amount;
}

export type BudgetScope = 'turn' | 'session' | 'day';

export interface BudgetLimit {
  scope: BudgetScope;
  account: BudgetAccount;
  caps: BudgetCaps;
}

export type Admission =
  | { kind: 'admitted' }
  /** It is spent: nothing but a higher cap or another day helps. */
  | { kind: 'exhausted'; scope: BudgetScope; unit: keyof Amount }
  /** Not spent yet, but calls under way may need all of it: when they end there may be room again. */
  | { kind: 'held'; scope: BudgetScope; unit: keyof Amount }
  /** A cap in dollars cannot be kept when nobody knows what a call costs. */
  | { kind: 'unpriced'; scope: BudgetScope };

const UNITS = ['micros', 'tokens'] as const;

/**
 * Whether one more call may start. It may while anything is left, not only while its whole reservation fits: a
 * reservation is what a call can cost at worst, mostly many times what it does cost. So a cap is passed by less than
 * one reservation, however many calls run side by side, because the next one sees this one's reservation as gone.
 * `isFree`: its price is nominal, and nobody pays it.
 */
export function admitCall(
  all: readonly BudgetLimit[],
  isPriced: boolean,
  isFree = false,
): Admission {
  const limits = isPriced && !isFree ? all : all.map(withoutDefault);
  for (const { scope, caps } of limits)
    if (caps.micros !== null && !isPriced) return { kind: 'unpriced', scope };
  for (const { scope, account, caps } of limits)
    for (const unit of UNITS)
      if (isFull(account.spent[unit], caps[unit])) return { kind: 'exhausted', scope, unit };
  for (const { scope, account, caps } of limits)
    for (const unit of UNITS)
      if (isFull(account.spent[unit] + account.reserved[unit], caps[unit]))
        return { kind: 'held', scope, unit };
  return { kind: 'admitted' };
}

function withoutDefault(limit: BudgetLimit): BudgetLimit {
  return limit.caps.isDefault === true
    ? { ...limit, caps: { ...limit.caps, micros: null } }
    : limit;
}

function isFull(gone: number, cap: number | null): boolean {
  return cap !== null && gone >= cap;
}
