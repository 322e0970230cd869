import type { Amount, BudgetCaps, CapabilityBearer, TokenUsage } from '@ship/core';
import type { ModelRef, ShipError, TurnId, UsageEntry } from '@ship/protocol';
import type { Result } from '../../platform/result.ts';

/** What a call used and cost. `costMicros` is null when the price is not known. */
export interface CallCost {
  usage: TokenUsage;
  costMicros: number | null;
  /** The provider did not say (the stream was cut, the answer had no usage): counted from what went over the wire. */
  isEstimate: boolean;
}

export interface ModelCall {
  callId: string;
  model: ModelRef;
  /** What it can cost at worst; `micros` is null when the price is not known. */
  most: { micros: number | null; tokens: number };
  /** The same as a cost: what it counts as when nobody ever says how it ended. */
  worst: CallCost;
}

export interface Reservation {
  callId: string;
  expiresAt: number;
}

/** A session's money as the gateway sees it: ask before a call, tell after it. Both may be repeated. */
export interface CallBudget {
  /** `bearer` is the sandbox that wants to spend it; null for a question of Ship's own. */
  reserve(call: ModelCall, bearer: CapabilityBearer | null): Promise<Result<Reservation>>;
  settle(callId: string, cost: CallCost): Promise<void>;
}

/** The same as methods of the session's object. */
export interface BudgetObject {
  reserveCall(call: ModelCall, bearer: CapabilityBearer | null): Promise<Result<Reservation>>;
  settleCall(callId: string, cost: CallCost): Promise<void>;
}

export function budgetOf(object: BudgetObject): CallBudget {
  return {
    reserve: (call, bearer) => object.reserveCall(call, bearer),
    settle: (callId, cost) => object.settleCall(callId, cost),
  };
}

/** What holds for the next call, asked anew each time: caps are raised and models changed while an agent works. */
export interface BudgetTerms {
  /** Null between turns: such a call counts for the session only. */
  turnId: TurnId | null;
  models: readonly ModelRef[];
  repository: string;
  turn: BudgetCaps;
  session: BudgetCaps;
}

/** One message to the workspace per model call: what ended since the last one, and what is to begin. */
export interface DayCharge {
  settled: UsageEntry[];
  reserve: {
    callId: string;
    micros: number | null;
    tokens: number;
    expiresAt: number;
    /** Nobody pays what it costs. */
    isFree?: boolean;
  } | null;
}

export interface DayAnswer {
  /** Why what was to be reserved may not begin. */
  refusal: ShipError | null;
  /** Of the day's budgets, after all that is spent and reserved; null when there is no cap. */
  leftMicros: number | null;
  leftTokens: number | null;
}

/** The workspace's budget for the day. */
export interface DayBudget {
  charge(charge: DayCharge): Promise<Result<DayAnswer>>;
}

/** What was spent so far, for a turn or for the whole session. */
export interface Spent extends Amount {
  usage: TokenUsage;
  calls: number;
  /** Calls whose price is not known: the cost is at least `micros`. */
  unpricedCalls: number;
  estimatedCalls: number;
}
