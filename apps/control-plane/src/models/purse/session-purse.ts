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
import type { Outcome } from '../../platform/outcome.ts';
import { toUsd } from '../../workspace/money.ts';
import { CallStore, type StoredCall, amountOf } from './call-store.ts';
import type {
  CallCost,
  DayBudget,
  ModelCall,
  Purse,
  PurseTerms,
  Reservation,
  Spent,
} from './port.ts';
import { SpentTotals } from './totals.ts';

/** No call lasts longer: the gateway ends it before. After this its reservation counts as spent, at an estimate. */
export const RESERVATION_MS = 30 * 60_000;
/** An agent and its helpers need a handful at a time; more is a program that spends. */
const MAX_OPEN_CALLS = 32;
const REPORTED_AT_ONCE = 50;
const SESSION = 'session';

export interface SessionPurseParts {
  terms: () => Outcome<PurseTerms>;
  day: DayBudget;
  nowMs?: () => number;
}

/**
 * The money of one session, in the tables of its object: nothing lives only in memory. Rules are in core; this stores.
 * Everything between two waits happens at once for the object, so calls side by side see each other's reservations.
 */
export class SessionPurse implements Purse {
  readonly #calls: CallStore;
  readonly #totals: SpentTotals;
  readonly #parts: SessionPurseParts;
  readonly #nowMs: () => number;

  constructor(sql: SqlStorage, parts: SessionPurseParts) {
    this.#calls = new CallStore(sql);
    this.#totals = new SpentTotals(sql);
    this.#parts = parts;
    this.#nowMs = parts.nowMs ?? Date.now;
  }

  async reserve(call: ModelCall): Promise<Outcome<Reservation>> {
    const nowMs = this.#nowMs();
    this.expire();
    const known = this.#calls.find(call.callId);
    if (known !== undefined) return again(known);
    const terms = this.#parts.terms();
    if (!terms.ok) return terms;
    const refusal = this.#refusalOf(call, terms.value);
    if (refusal !== undefined) return { ok: false, error: refusal };

    const { callId, model, likely: cost } = call;
    const { turnId, repository } = terms.value;
    const expiresAt = nowMs + RESERVATION_MS;
    const ended = this.#calls.unreported(REPORTED_AT_ONCE);
    // Sent before the row is written: the platform holds messages back until what was written before is on disk.
    const day = this.#parts.day.charge({
      settled: ended.map(usageEntry),
      reserve: { callId, micros: call.most.micros, expiresAt },
    });
    const reserved = { micros: call.most.micros ?? 0, tokens: call.most.tokens };
    this.#calls.add({ callId, turnId, model, repository, at: nowMs, expiresAt, reserved, cost });
    const answer = await day.catch(unreachable);
    if (answer.ok) this.#calls.markReported(ended);
    const refused = answer.ok ? answer.value : answer.error;
    if (refused === null) return { ok: true, value: { callId, expiresAt } };
    this.#calls.remove(callId);
    return { ok: false, error: refused };
  }

  async settle(callId: string, cost: CallCost): Promise<void> {
    const call = this.#calls.find(callId);
    if (call === undefined) return;
    if (settleCallAccount(call.account, amountOf(cost)) === undefined) return;
    if (call.account.state === 'expired') this.#totals.subtract(scopesOf(call), call.cost);
    this.#totals.add(scopesOf(call), cost);
    this.#calls.close(callId, 'settled', cost);
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
    for (;;) {
      const ended = this.#calls.unreported(REPORTED_AT_ONCE);
      if (ended.length === 0) return;
      const charge = { settled: ended.map(usageEntry), reserve: null };
      const answer = await this.#parts.day.charge(charge).catch(unreachable);
      // Tried again with the next call or heartbeat.
      if (!answer.ok) return;
      this.#calls.markReported(ended);
    }
  }

  spent(turnId?: TurnId): Spent {
    return this.#totals.of(turnId ?? SESSION);
  }

  #refusalOf(call: ModelCall, terms: PurseTerms): ShipError | undefined {
    if (!terms.models.includes(call.model)) return notAllowed(call, terms);
    const open = this.#calls.open();
    if (open.length >= MAX_OPEN_CALLS) return tooMany();
    const limits = this.#limits(open, terms);
    const admission = admitCall(limits, call.most.micros !== null);
    return admission.kind === 'admitted' ? undefined : budgetRefusal(admission, limits);
  }

  #limits(open: readonly StoredCall[], { turnId, turn, session }: PurseTerms): BudgetLimit[] {
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

function again({ callId, expiresAt, account }: StoredCall): Outcome<Reservation> {
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

function notAllowed({ model }: ModelCall, { models }: PurseTerms): ShipError {
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
