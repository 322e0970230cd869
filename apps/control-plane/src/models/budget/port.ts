import type { Amount, BudgetCaps, CapabilityBearer, TokenUsage } from '@ship/core';
import type { ModelRef, ShipError, TurnId, UsageEntry } from '@ship/protocol';
import type { Result } from '../../platform/result.ts';

/** The usage and cost of a call. `costMicros` is null when the price is unknown. */
export interface CallCost {
  usage: TokenUsage;
  costMicros: number | null;
  /** The provider reported no usage (truncated stream, response without usage): estimated from the bytes on the wire. */
  isEstimate: boolean;
}

export interface ModelCall {
  callId: string;
  model: ModelRef;
  /** The worst-case cost; `micros` is null when the price is unknown. */
  most: { micros: number | null; tokens: number };
  /** The same as a cost: charged when the end of the call is never reported. */
  worst: CallCost;
}

export interface Reservation {
  callId: string;
  expiresAt: number;
}

/** A session's budget as the gateway sees it: reserve before a call, settle after it. Both are idempotent. */
export interface CallBudget {
  /** `bearer` is the calling sandbox; null for a question of Ship itself. */
  reserve(call: ModelCall, bearer: CapabilityBearer | null): Promise<Result<Reservation>>;
  settle(callId: string, cost: CallCost): Promise<void>;
}

/** The same as RPC methods of the session's Durable Object. */
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

/** Terms of the next call, read for each call: caps and models change while an agent works. */
export interface BudgetTerms {
  /** Null between turns: the call counts for the session only. */
  turnId: TurnId | null;
  models: readonly ModelRef[];
  repository: string;
  turn: BudgetCaps;
  session: BudgetCaps;
}

/** One message to the workspace per model call: calls settled since the last message, and the new reservation. */
export interface DayCharge {
  settled: UsageEntry[];
  reserve: {
    callId: string;
    micros: number | null;
    tokens: number;
    expiresAt: number;
    /** Its cost is nominal (demo model). */
    isFree?: boolean;
  } | null;
}

export interface DayAnswer {
  /** Why the reservation was refused. */
  refusal: ShipError | null;
  /** The rest of the daily budget after spending and reservations; null without a cap. */
  leftMicros: number | null;
  leftTokens: number | null;
}

/** The workspace's daily budget. */
export interface DayBudget {
  charge(charge: DayCharge): Promise<Result<DayAnswer>>;
}

/** Spending so far, of a turn or of the session. */
export interface Spent extends Amount {
  usage: TokenUsage;
  calls: number;
  /** Calls with an unknown price: the cost is at least `micros`. */
  unpricedCalls: number;
  estimatedCalls: number;
}
