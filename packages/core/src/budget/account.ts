/** Cost in whole micro-dollars: sums of fractions would drift. */
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
  /** The cap in dollars is a default: it applies only to calls with a known cost and refuses no others. */
  isDefault?: boolean;
}

/** The amount spent and the amount reserved by open calls: neither is available to the next call. */
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
  /** The budget is spent: only a higher cap or another day helps. */
  | { kind: 'exhausted'; scope: BudgetScope; unit: keyof Amount }
  /** Not spent yet, but open calls may need all of it: when they end, some may be available again. */
  | { kind: 'held'; scope: BudgetScope; unit: keyof Amount }
  /** A cap in dollars cannot be enforced when the cost of a call is unknown. */
  | { kind: 'unpriced'; scope: BudgetScope };

const UNITS = ['micros', 'tokens'] as const;

/**
 * Decides whether one more call may start. It may while anything is left, not only while its whole reservation fits: a
 * reservation is the worst-case cost, usually many times the real one. A cap is therefore exceeded by less than one
 * reservation, however many calls run concurrently, because the next one counts this reservation as spent.
 * `isFree`: the price is nominal, and no one pays it.
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
