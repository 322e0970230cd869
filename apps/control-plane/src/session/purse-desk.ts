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

/** The session's money: what the model gateway asks before every call. */
export class PurseDesk {
  readonly #purse: SessionBudget;
  readonly #store: SessionStore;
  readonly #settings: () => Promise<Settings>;
  #known: Settings | undefined;
  /** Why the newest call of a turn was refused: what the agent then says of it is only "payment required". */
  #refused: { turnId: TurnId; error: ShipError } | undefined;

  constructor(
    sql: SqlStorage,
    store: SessionStore,
    settings: () => Promise<Settings>,
    day: DayBudget,
  ) {
    this.#store = store;
    this.#settings = settings;
    this.#purse = new SessionBudget(sql, {
      terms: () => this.#terms(),
      day,
      onSettled: ({ at, model }) =>
        store.trace.record({ name: MODEL_SPAN, startedAt: at, outcome: 'ok', detail: model }),
    });
  }

  async reserve(call: ModelCall): Promise<Result<Reservation>> {
    this.#known = await this.#settings();
    const outcome = await this.#purse.reserve(call);
    const turn = this.#store.state && openTurn(this.#store.state.activity);
    if (turn !== undefined)
      this.#refused = outcome.ok ? undefined : { turnId: turn.turnId, error: outcome.error };
    return outcome;
  }

  settle(callId: string, cost: CallCost): Promise<void> {
    return this.#purse.settle(callId, cost);
  }

  /** Tells the workspace what was used; for the end of a turn. */
  flush(): Promise<void> {
    this.#purse.expire();
    return this.#purse.flush();
  }

  /** The pause that a refused call means for its turn, if the budget was the reason. */
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
 * The default of a turn does not hold in a session with a budget of its own: a person has named an amount for this work, and
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
