import { Coins } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../../ui/button.tsx';
import { personName } from '../../person-name.ts';
import { useSession } from '../../session-context.ts';
import { newest } from '../items.ts';
import { Line } from './frame.tsx';
import type { ViewProps } from './frame.tsx';

export function BudgetView({ item }: ViewProps) {
  const event = newest(item);
  if (event.type !== 'budget.changed') return null;
  const { budgetUsd, by } = event.data;
  return (
    <Line icon={Coins}>
      {personName(by)} set the budget to {budgetUsd === null ? 'the default' : `$${budgetUsd}`}.
    </Line>
  );
}

/** Raises the budget of a session that has used it up. */
export function RaiseBudget() {
  const { state, actions } = useSession();
  const [text, setText] = useState(() =>
    String(suggested(state.budgetUsd ?? state.agent.usage.costUsd)),
  );
  const budgetUsd = Number(text.trim().replace(/^\$/, ''));
  const isAmount = text.trim() !== '' && budgetUsd > 0 && budgetUsd <= 1_000_000;
  return (
    <form
      aria-label="Raise the budget"
      className="flex items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (isAmount) actions.raiseBudget(budgetUsd);
      }}
    >
      <label className="flex items-center gap-1 text-sm">
        $
        <input
          aria-label="New budget in USD"
          inputMode="decimal"
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="w-20 rounded-md border border-line bg-surface px-2 py-1"
        />
      </label>
      <Button type="submit" variant="primary" disabled={!isAmount}>
        <Coins aria-hidden /> Raise budget and continue
      </Button>
    </form>
  );
}

/** Twice the used amount, at least one cent. */
const suggested = (usd: number): number => Math.max(0.01, Math.ceil(usd * 200) / 100);
