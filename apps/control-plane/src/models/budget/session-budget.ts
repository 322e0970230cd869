import {
  type Amount,
  type BudgetLimit,
  NO_AMOUNT,
  addAmounts,
  admitCall,
  answerTokens,
  budgetRefusal,
  expireCallAccount,
  promptTokens,
  settleCallAccount,
} from '@ship/core';
import { type ShipError, type TurnId, type UsageEntry, shipError } from '@ship/protocol';
import type { Result } from '../../platform/result.ts';
import { toUsd } from '../../workspace/money.ts';
import { isFreeModel } from '../free-model.ts';
import { CallStore, type StoredCall, amountOf } from './call-store.ts';
import type {
  CallCost,
  DayAnswer,
  DayBudget,
  DayCharge,
  ModelCall,
  BudgetTerms,
  Reservation,
  Spent,
} from './port.ts';
import { SpentTotals } from './totals.ts';

/** The gateway ends calls earlier than this. After it the reservation counts as spent. */
export const RESERVATION_MS = 30 * 60_000;
/** An agent and its subagents need a handful at a time; more is a runaway program. */
const MAX_OPEN_CALLS = 32;
const REPORT_BATCH = 50;
const WRITE_DELAY_MS = 250;
const SESSION = 'session';
/** Cache lifetime of the day's remaining budget, and how many calls like this one must still fit into it. */
const DAY_CACHE_TTL_MS = 60_000;
const DAY_MARGIN_CALLS = 50;

export interface SessionBudgetDeps {
  terms: () => Result<BudgetTerms>;
  day: DayBudget;
  /** Called once per settled call. */
  onSettled?: (call: Pick<StoredCall, 'at' | 'model'>) => void;
  nowMs?: () => number;
}

/**
 * The budget of one session, stored in the tables of its Durable Object; the rules are in core. Code between two awaits is
 * atomic within the object, so concurrent calls see each other's reservations.
 */
export class SessionBudget {
  readonly #calls: CallStore;
  readonly #totals: SpentTotals;
  readonly #deps: SessionBudgetDeps;
  readonly #nowMs: () => number;
  /** Reported to the workspace but not marked in the table yet. Lost on eviction: then the calls are reported again. */
  #reported: StoredCall[] = [];
  /** Calls that the workspace reserved before they were written here. */
  readonly #reservedForDay = new Set<string>();
  #day: (Omit<DayAnswer, 'refusal'> & { at: number }) | undefined;

  constructor(sql: SqlStorage, deps: SessionBudgetDeps) {
    this.#calls = new CallStore(sql);
    this.#totals = new SpentTotals(sql);
    this.#deps = deps;
    this.#nowMs = deps.nowMs ?? Date.now;
  }

  async reserve(call: ModelCall): Promise<Result<Reservation>> {
    const nowMs = this.#nowMs();
    this.expire();
    const known = this.#calls.find(call.callId);
    if (known !== undefined) return repeated(known);
    const terms = this.#deps.terms();
    if (!terms.ok) return terms;
    const refusal = this.#refusalOf(call, terms.value);
    if (refusal !== undefined) return { ok: false, error: refusal };

    const { callId, model, worst: cost } = call;
    const { turnId, repository } = terms.value;
    const expiresAt = nowMs + RESERVATION_MS;
    const reserved = { micros: call.most.micros ?? 0, tokens: call.most.tokens };
    this.#calls.add({ callId, turnId, model, repository, at: nowMs, expiresAt, reserved, cost });
    const reserve = { callId, ...call.most, expiresAt, isFree: isFreeModel(model) };
    const refused = this.#dayHasRoom(reserved) ? null : await this.#charge(reserve);
    if (refused !== null) {
      this.#calls.remove(callId);
      return { ok: false, error: refused };
    }
    setTimeout(() => this.#persist(reserve), WRITE_DELAY_MS);
    return { ok: true, value: { callId, expiresAt } };
  }

  async settle(callId: string, cost: CallCost): Promise<void> {
    const call = this.#calls.find(callId);
    if (call === undefined) return;
    if (settleCallAccount(call.account, amountOf(cost)) === undefined) return;
    if (call.account.state === 'expired') this.#totals.subtract(scopesOf(call), call.cost);
    this.#totals.add(scopesOf(call), cost);
    this.#calls.close(callId, 'settled', cost);
    this.#deps.onSettled?.(call);
    this.#markReported();
  }

  /** Closes calls whose end was never reported. Runs before each reservation; call it from the object's alarm too. */
  expire(): void {
    const nowMs = this.#nowMs();
    for (const call of this.#calls.open()) {
      if (expireCallAccount(call.account, nowMs) === undefined) break;
      this.#totals.add(scopesOf(call), call.cost);
      this.#calls.close(call.callId, 'expired', call.cost);
    }
  }

  /** When `expire` has work next. */
  nextExpiryAt(): number | undefined {
    return this.#calls.open()[0]?.expiresAt;
  }

  /** Reports settled calls to the workspace; called at the end of a turn and by the heartbeat. */
  async flush(): Promise<void> {
    this.#markReported();
    while (this.#unreported().length > 0) {
      // On failure the next call or heartbeat retries.
      if ((await this.#charge(null)) !== null) return;
      this.#markReported();
    }
  }

  spent(turnId?: TurnId): Spent {
    return this.#totals.of(turnId ?? SESSION);
  }

  /**
   * A write blocks the process's single thread for as long as the disk needs. Delayed until after the reply, it slows no call,
   * and a call that has ended by then is written only once. A crash before the write ends the call as well.
   */
  #persist(reserve: NonNullable<DayCharge['reserve']>): void {
    this.#calls.write(reserve.callId);
    if (this.#reservedForDay.delete(reserve.callId)) return;
    const isOpen = this.#calls.find(reserve.callId)?.account.state === 'open';
    void this.#charge(isOpen ? reserve : null).finally(() =>
      this.#reservedForDay.delete(reserve.callId),
    );
  }

  /** Reports settled calls and the new reservation to the workspace. Returns its refusal or null; caches the day's rest. */
  async #charge(reserve: DayCharge['reserve']): Promise<ShipError | null> {
    const ended = this.#unreported();
    const settled = ended.map(usageEntry);
    const result = await this.#deps.day.charge({ settled, reserve }).catch(unreachable);
    if (!result.ok) {
      this.#day = undefined;
      return result.error;
    }
    // Marked in the table with the next write.
    this.#reported.push(...ended);
    if (reserve !== null && result.value.refusal === null) this.#reservedForDay.add(reserve.callId);
    const { refusal, ...left } = result.value;
    this.#day = { ...left, at: this.#nowMs() };
    return refusal;
  }

  /**
   * True far from the day's cap: the workspace's reply is then not awaited and applies to the next call. Near the cap, or
   * without a recent reply, the call waits for it.
   */
  #dayHasRoom({ micros, tokens }: Amount): boolean {
    if (this.#day === undefined || this.#nowMs() - this.#day.at > DAY_CACHE_TTL_MS) return false;
    const { leftMicros, leftTokens } = this.#day;
    return hasMargin(leftMicros, micros) && hasMargin(leftTokens, tokens);
  }

  #unreported(): StoredCall[] {
    const reported = new Set(this.#reported.map(({ callId }) => callId));
    const closed = this.#calls.unreported(REPORT_BATCH + reported.size);
    return closed.filter(({ callId }) => !reported.has(callId)).slice(0, REPORT_BATCH);
  }

  #markReported(): void {
    this.#calls.markReported(this.#reported);
    this.#reported = [];
  }

  #refusalOf(call: ModelCall, terms: BudgetTerms): ShipError | undefined {
    if (!terms.models.includes(call.model)) return notAllowed(call, terms);
    const open = this.#calls.open();
    if (open.length >= MAX_OPEN_CALLS) return tooManyCalls();
    const limits = this.#limits(open, terms);
    const admission = admitCall(limits, call.most.micros !== null, isFreeModel(call.model));
    return admission.kind === 'admitted' ? undefined : budgetRefusal(admission, limits);
  }

  #limits(open: readonly StoredCall[], { turnId, turn, session }: BudgetTerms): BudgetLimit[] {
    const ofTurn = open.filter((call) => call.turnId === turnId);
    const whole: BudgetLimit = {
      scope: 'session',
      account: { spent: this.spent(), reserved: sumOf(open) },
      caps: session,
    };
    if (turnId === null) return [whole];
    const account = { spent: this.spent(turnId), reserved: sumOf(ofTurn) };
    return [{ scope: 'turn', account, caps: turn }, whole];
  }
}

function repeated({ callId, expiresAt, account }: StoredCall): Result<Reservation> {
  if (account.state === 'open') return { ok: true, value: { callId, expiresAt } };
  const error = shipError('request-id-reused', 'This call has already ended.', 'Send a new call.');
  return { ok: false, error };
}

const sumOf = (calls: readonly StoredCall[]): Amount =>
  calls.map(({ reserved }) => reserved).reduce(addAmounts, NO_AMOUNT);

const scopesOf = ({ turnId }: StoredCall): string[] =>
  turnId === null ? [SESSION] : [SESSION, turnId];

/** The workspace counts a call once: when a reported estimate is corrected later, its day keeps the estimate. */
function usageEntry({ callId, at, model, repository, cost }: StoredCall): UsageEntry {
  return {
    key: callId,
    at,
    model,
    repository,
    costUsd: cost.costMicros === null ? null : toUsd(cost.costMicros),
    inputTokens: promptTokens(cost.usage),
    outputTokens: answerTokens(cost.usage),
  };
}

function notAllowed({ model }: ModelCall, { models }: BudgetTerms): ShipError {
  return shipError(
    'model-not-allowed',
    `This session may not use ${model}; it may use: ${models.join(', ') || 'none'}.`,
    'Choose the model for the session first.',
  );
}

function tooManyCalls(): ShipError {
  return shipError(
    'rate-limited',
    `At most ${MAX_OPEN_CALLS} calls of one session run at the same time.`,
    'It is retried automatically when some have finished.',
  );
}

function unreachable(): { ok: false; error: ShipError } {
  return {
    ok: false,
    error: shipError(
      'unavailable',
      'The budget cannot be checked.',
      'It is retried automatically.',
    ),
  };
}

/** Whether enough calls like this one still fit below the cap. */
function hasMargin(left: number | null, call: number): boolean {
  return left === null || left > call * DAY_MARGIN_CALLS;
}
