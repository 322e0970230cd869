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

/** No call lasts longer: the gateway ends it before. After this its reservation counts as spent. */
export const RESERVATION_MS = 30 * 60_000;
/** An agent and its helpers need a handful at a time; more is a program that spends. */
const MAX_OPEN_CALLS = 32;
const REPORTED_AT_ONCE = 50;
const RECORD_AFTER_MS = 250;
const SESSION = 'session';
/** How long what the workspace said of the day is believed, and how many calls like this one must still fit. */
const DAY_KNOWN_FOR_MS = 60_000;
const DAY_MARGIN_CALLS = 50;

export interface SessionBudgetDeps {
  terms: () => Result<BudgetTerms>;
  day: DayBudget;
  /** Once for each call, when it is known how it ended. */
  onSettled?: (call: Pick<StoredCall, 'at' | 'model'>) => void;
  nowMs?: () => number;
}

/**
 * The money of one session, in the tables of its object: nothing lives only in memory. Rules are in core; this stores.
 * Everything between two waits happens at once for the object, so calls side by side see each other's reservations.
 */
export class SessionBudget {
  readonly #calls: CallStore;
  readonly #totals: SpentTotals;
  readonly #parts: SessionBudgetDeps;
  readonly #nowMs: () => number;
  /** What the workspace has heard of and the table does not say yet. Lost with the object: then it is told again. */
  #heard: StoredCall[] = [];
  /** Calls that were reserved there before they were written here. */
  readonly #dayKnows = new Set<string>();
  #day: (Omit<DayAnswer, 'refusal'> & { at: number }) | undefined;

  constructor(sql: SqlStorage, parts: SessionBudgetDeps) {
    this.#calls = new CallStore(sql);
    this.#totals = new SpentTotals(sql);
    this.#parts = parts;
    this.#nowMs = parts.nowMs ?? Date.now;
  }

  async reserve(call: ModelCall): Promise<Result<Reservation>> {
    const nowMs = this.#nowMs();
    this.expire();
    const known = this.#calls.find(call.callId);
    if (known !== undefined) return again(known);
    const terms = this.#parts.terms();
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
    setTimeout(() => this.#record(reserve), RECORD_AFTER_MS);
    return { ok: true, value: { callId, expiresAt } };
  }

  async settle(callId: string, cost: CallCost): Promise<void> {
    const call = this.#calls.find(callId);
    if (call === undefined) return;
    if (settleCallAccount(call.account, amountOf(cost)) === undefined) return;
    if (call.account.state === 'expired') this.#totals.subtract(scopesOf(call), call.cost);
    this.#totals.add(scopesOf(call), cost);
    this.#calls.close(callId, 'settled', cost);
    this.#parts.onSettled?.(call);
    this.#noteHeard();
  }

  /** Closes calls whose end nobody reported. Done before each reservation; call it from the object's alarm too. */
  expire(): void {
    const nowMs = this.#nowMs();
    for (const call of this.#calls.open()) {
      if (expireCallAccount(call.account, nowMs) === undefined) break;
      this.#totals.add(scopesOf(call), call.cost);
      this.#calls.close(call.callId, 'expired', call.cost);
    }
  }

  /** When `expire` has something to do next. */
  nextExpiryAt(): number | undefined {
    return this.#calls.open()[0]?.expiresAt;
  }

  /** Tells the workspace what ended since the last call; for the end of a turn and for the heartbeat. */
  async flush(): Promise<void> {
    this.#noteHeard();
    while (this.#unheard().length > 0) {
      // When nobody answers it is tried again with the next call or heartbeat.
      if ((await this.#charge(null)) !== null) return;
      this.#noteHeard();
    }
  }

  spent(turnId?: TurnId): Spent {
    return this.#totals.of(turnId ?? SESSION);
  }

  /**
   * Writing takes the one thread of the process as long as the disk needs. Done a moment after the answer, it delays no
   * call, and a call that has ended by then is written once. A crash in that moment ends the call as well.
   */
  #record(reserve: NonNullable<DayCharge['reserve']>): void {
    this.#calls.write(reserve.callId);
    if (this.#dayKnows.delete(reserve.callId)) return;
    const isOpen = this.#calls.find(reserve.callId)?.account.state === 'open';
    void this.#charge(isOpen ? reserve : null).finally(() => this.#dayKnows.delete(reserve.callId));
  }

  /** Tells the workspace what ended and what begins; a refusal or null. Remembers how much is left of the day. */
  async #charge(reserve: DayCharge['reserve']): Promise<ShipError | null> {
    const ended = this.#unheard();
    const settled = ended.map(usageEntry);
    const answer = await this.#parts.day.charge({ settled, reserve }).catch(unreachable);
    if (!answer.ok) {
      this.#day = undefined;
      return answer.error;
    }
    // Noted with the next write.
    this.#heard.push(...ended);
    if (reserve !== null && answer.value.refusal === null) this.#dayKnows.add(reserve.callId);
    const { refusal, ...left } = answer.value;
    this.#day = { ...left, at: this.#nowMs() };
    return refusal;
  }

  /**
   * Far from the day's cap the answer is not waited for: it comes while the call runs and holds for the next one. Near
   * the cap, or when little is known, it is.
   */
  #dayHasRoom({ micros, tokens }: Amount): boolean {
    if (this.#day === undefined || this.#nowMs() - this.#day.at > DAY_KNOWN_FOR_MS) return false;
    const { leftMicros, leftTokens } = this.#day;
    return isFar(leftMicros, micros) && isFar(leftTokens, tokens);
  }

  #unheard(): StoredCall[] {
    const heard = new Set(this.#heard.map(({ callId }) => callId));
    const closed = this.#calls.unreported(REPORTED_AT_ONCE + heard.size);
    return closed.filter(({ callId }) => !heard.has(callId)).slice(0, REPORTED_AT_ONCE);
  }

  #noteHeard(): void {
    this.#calls.markReported(this.#heard);
    this.#heard = [];
  }

  #refusalOf(call: ModelCall, terms: BudgetTerms): ShipError | undefined {
    if (!terms.models.includes(call.model)) return notAllowed(call, terms);
    const open = this.#calls.open();
    if (open.length >= MAX_OPEN_CALLS) return tooMany();
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

function again({ callId, expiresAt, account }: StoredCall): Result<Reservation> {
  if (account.state === 'open') return { ok: true, value: { callId, expiresAt } };
  const error = shipError('request-id-reused', 'This call has ended.', 'Make a new one.');
  return { ok: false, error };
}

const sumOf = (calls: readonly StoredCall[]): Amount =>
  calls.map(({ reserved }) => reserved).reduce(addAmounts, NO_AMOUNT);

const scopesOf = ({ turnId }: StoredCall): string[] =>
  turnId === null ? [SESSION] : [SESSION, turnId];

/** The workspace counts a call once: when an estimate is corrected after it was reported, its day keeps the estimate. */
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

function tooMany(): ShipError {
  return shipError(
    'rate-limited',
    `At most ${MAX_OPEN_CALLS} calls of one session run at the same time.`,
    'It is tried again by itself when some are done.',
  );
}

function unreachable(): { ok: false; error: ShipError } {
  return {
    ok: false,
    error: shipError('unavailable', 'The budget cannot be asked.', 'It is tried again by itself.'),
  };
}

/** So far from a cap that some calls like this one still fit. */
function isFar(left: number | null, call: number): boolean {
  return left === null || left > call * DAY_MARGIN_CALLS;
}
