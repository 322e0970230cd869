import { openTurn } from '@ship/core';
import {
  MODEL_SPAN,
  type Paused,
  type ShipError,
  type Settings,
  type TurnId,
  shipError,
} from '@ship/protocol';
import { modelsOf } from '../models/agent-models.ts';
import type { CallCost, DayBudget, ModelCall, Reservation } from '../models/budget/port.ts';
import { SessionBudget } from '../models/budget/session-budget.ts';
import type { Result } from '../platform/result.ts';
import { toMicros } from '../workspace/money.ts';
import type { SessionStore } from './session-store.ts';

/** The session's budget: the model gateway reserves from it before every call. */
export class BudgetService {
  readonly #budget: SessionBudget;
  readonly #store: SessionStore;
  readonly #settings: () => Promise<Settings>;
  #known: Settings | undefined;
  /** Why the newest call of a turn was refused: the agent itself reports only "payment required". */
  #refused: { turnId: TurnId; error: ShipError } | undefined;

  constructor(
    sql: SqlStorage,
    store: SessionStore,
    settings: () => Promise<Settings>,
    day: DayBudget,
  ) {
    this.#store = store;
    this.#settings = settings;
    this.#budget = new SessionBudget(sql, {
      terms: () => this.#terms(),
      day,
      onSettled: ({ at, model }) =>
        store.trace.record({ name: MODEL_SPAN, startedAt: at, outcome: 'ok', detail: model }),
    });
  }

  async reserve(call: ModelCall): Promise<Result<Reservation>> {
    this.#known = await this.#settings();
    const outcome = await this.#budget.reserve(call);
    const turn = this.#store.state && openTurn(this.#store.state.activity);
    if (turn !== undefined)
      this.#refused = outcome.ok ? undefined : { turnId: turn.turnId, error: outcome.error };
    return outcome;
  }

  settle(callId: string, cost: CallCost): Promise<void> {
    return this.#budget.settle(callId, cost);
  }

  /** Reports usage to the workspace; called at the end of a turn. */
  flush(): Promise<void> {
    this.#budget.expire();
    return this.#budget.flush();
  }

  /** The pause of a turn whose call the budget refused. */
  pauseOf(turnId: TurnId): Paused | undefined {
    const refused = this.#refused;
    if (refused?.turnId !== turnId || refused.error.category !== 'user-action') return undefined;
    const { message, remedy } = refused.error;
    return { kind: 'paused', reason: 'budget', message, remedy, notBefore: null };
  }

  #terms() {
    const { state } = this.#store;
    if (state === undefined || this.#known === undefined || state.activity.status === 'closed')
      return {
        ok: false as const,
        error: shipError('session-closed', 'This session is closed.', 'Start a new session.'),
      };
    const { budgets } = this.#known;
    return {
      ok: true as const,
      value: {
        turnId: openTurn(state.activity)?.turnId ?? null,
        models: modelsOf(state.model),
        repository: state.repository,
        turn: turnCaps(budgets, state.budgetUsd !== null),
        session: {
          ...capsOf(state.budgetUsd ?? budgets.sessionUsd, budgets.sessionTokens),
          isDefault: state.budgetUsd === null && budgets.byDefault.includes('sessionUsd'),
        },
      },
    };
  }
}

/**
 * The default limit per turn does not apply to a session with its own budget: a person has granted an amount for this work, and
 * a pause halfway would ask for it again.
 */
function turnCaps(budgets: Settings['budgets'], hasOwnBudget: boolean) {
  const isDefault = budgets.byDefault.includes('turnUsd');
  const usd = isDefault && hasOwnBudget ? null : budgets.turnUsd;
  return { ...capsOf(usd, budgets.turnTokens), isDefault };
}

const capsOf = (usd: number | null, tokens: number | null) => ({
  micros: usd === null ? null : toMicros(usd),
  tokens,
});
