import { type ShipError, openSettings, shipError } from '@ship/protocol';
import type { Admission, Amount, BudgetLimit, BudgetScope } from './account.ts';

const SCOPE_NAMES: Record<BudgetScope, string> = {
  turn: 'this turn',
  session: 'this session',
  day: 'the workspace for today',
};

const MICROS_PER_CENT = 10_000;

/** The error for a call that was not admitted. */
export function budgetRefusal(
  admission: Exclude<Admission, { kind: 'admitted' }>,
  limits: readonly BudgetLimit[],
): ShipError {
  const scopeName = SCOPE_NAMES[admission.scope];
  switch (admission.kind) {
    case 'unpriced':
      return shipError(
        'price-unknown',
        `The budget of ${scopeName} is in dollars, and the price of this model is unknown.`,
        'Give the price in the settings of the provider, choose another model, or remove the cap.',
        openSettings('models'),
      );
    case 'exhausted':
      return shipError(
        'budget-exhausted',
        `The budget of ${scopeName} is spent: ${spentOf(admission, limits)}.`,
        remedyOf(admission.scope, limits),
      );
    case 'held':
      return shipError(
        'rate-limited',
        `Running calls may need the rest of the budget of ${scopeName}.`,
        'Ship retries automatically when they finish.',
      );
  }
}

function remedyOf(exhausted: BudgetScope, limits: readonly BudgetLimit[]): string {
  const isDefault = limits.some(
    ({ scope, caps }) => scope === exhausted && caps.isDefault === true,
  );
  if (!isDefault) return 'Raise the budget to continue, or stop here.';
  return exhausted === 'turn'
    ? 'This cap is a default. Retry to continue with the same amount again, give this session its own budget, or change the cap under Settings → Budgets and limits.'
    : 'This cap is a default. To continue, raise or remove it under Settings → Budgets and limits, or for this session alone.';
}

function spentOf(
  { scope, unit }: { scope: BudgetScope; unit: keyof Amount },
  limits: readonly BudgetLimit[],
) {
  const limit = limits.find((each) => each.scope === scope);
  const spent = limit?.account.spent[unit] ?? 0;
  const cap = limit?.caps[unit] ?? 0;
  return unit === 'micros'
    ? `${inDollars(spent)} of ${inDollars(cap)}`
    : `${spent} of ${cap} tokens`;
}

function inDollars(micros: number): string {
  return `$${(Math.round(micros / MICROS_PER_CENT) / 100).toFixed(2)}`;
}
