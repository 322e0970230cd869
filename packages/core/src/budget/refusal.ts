import { type ShipError, openSettings, shipError } from '@ship/protocol';
import type { Admission, Amount, BudgetLimit, BudgetScope } from './account.ts';

const WHOSE: Record<BudgetScope, string> = {
  turn: 'this turn',
  session: 'this session',
  day: 'the workspace for today',
};

const MICROS_PER_CENT = 10_000;

/** What a call that was not admitted is told. */
export function budgetRefusal(
  admission: Exclude<Admission, { kind: 'admitted' }>,
  limits: readonly BudgetLimit[],
): ShipError {
  const whose = WHOSE[admission.scope];
  switch (admission.kind) {
    case 'unpriced':
      return shipError(
        'price-unknown',
        `The budget of ${whose} is in dollars and the price of this model is not known.`,
        'Give the price in the settings of the provider, choose another model, or remove the cap.',
        openSettings('models'),
      );
    case 'exhausted':
      return shipError(
        'budget-exhausted',
        `The budget of ${whose} is spent: ${spentOf(admission, limits)}.`,
        limits.some(({ scope, caps }) => scope === admission.scope && caps.isDefault === true)
          ? 'Ship set this cap because nobody chose one. Raise or remove it under Settings → Budgets and limits, or for this session alone, to go on.'
          : 'Raise the budget to go on, or end here.',
      );
    case 'held':
      return shipError(
        'rate-limited',
        `Calls under way may need the rest of the budget of ${whose}.`,
        'It is tried again by itself when they are done.',
      );
  }
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
