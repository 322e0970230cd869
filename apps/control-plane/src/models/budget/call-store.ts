import { type Amount, type CallAccount, totalTokens } from '@ship/core';
import { ModelRef, type TurnId, TurnId as TurnIdSchema } from '@ship/protocol';
import type { CallCost } from './port.ts';

interface Row extends Record<string, SqlStorageValue> {
  call_id: string;
  turn_id: string | null;
  model: string;
  repository: string;
  at: number;
  expires_at: number;
  state: string;
  reserved_micros: number;
  reserved_tokens: number;
  cost: string;
}

export interface StoredCall {
  callId: string;
  turnId: TurnId | null;
  model: ModelRef;
  repository: string;
  at: number;
  expiresAt: number;
  reserved: Amount;
  /** The worst-case cost of an open call, else the actual cost. */
  cost: CallCost;
  account: CallAccount;
}

/** Reported calls are kept up to this number, to recognise repeated reports. */
const KEPT_CALLS = 500;

export class CallStore {
  readonly #sql: SqlStorage;
  readonly #pending = new Map<string, StoredCall>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  find(callId: string): StoredCall | undefined {
    return this.#pending.get(callId) ?? this.#select('call_id = ?', callId)[0];
  }

  /** Open calls, by expiry. */
  open(): StoredCall[] {
    return [...this.#select(`state = 'open' ORDER BY expires_at`), ...this.#pending.values()];
  }

  /** Closed calls that were not reported to the workspace yet, oldest first. */
  unreported(limit: number): StoredCall[] {
    return this.#select(`state <> 'open' AND is_reported = 0 ORDER BY at LIMIT ?`, limit);
  }

  /** Counts at once in memory; `write` persists it later, so that the caller does not wait for the disk. */
  add(call: Omit<StoredCall, 'account'>): void {
    const { reserved, expiresAt } = call;
    const account = { state: 'open', reserved, expiresAt } as const;
    this.#pending.set(call.callId, { ...call, account });
  }

  write(callId: string): void {
    const call = this.#pending.get(callId);
    if (call === undefined) return;
    this.#pending.delete(callId);
    this.#sql.exec(
      `INSERT INTO model_calls VALUES (?, ?, ?, ?, ?, ?, 'open', ?, ?, ?, 0)`,
      call.callId,
      call.turnId,
      call.model,
      call.repository,
      call.at,
      call.expiresAt,
      call.reserved.micros,
      call.reserved.tokens,
      JSON.stringify(call.cost),
    );
  }

  close(callId: string, state: 'expired' | 'settled', cost: CallCost): void {
    this.write(callId);
    this.#sql.exec(
      'UPDATE model_calls SET state = ?, cost = ?, is_reported = 0 WHERE call_id = ?',
      state,
      JSON.stringify(cost),
      callId,
    );
  }

  remove(callId: string): void {
    this.#pending.delete(callId);
    this.#sql.exec('DELETE FROM model_calls WHERE call_id = ?', callId);
  }

  /** Matches the reported cost too: a correction that arrived meanwhile must be reported again. */
  markReported(calls: readonly StoredCall[]): void {
    for (const { callId, cost } of calls)
      this.#sql.exec(
        'UPDATE model_calls SET is_reported = 1 WHERE call_id = ? AND cost = ?',
        callId,
        JSON.stringify(cost),
      );
    this.#sql.exec(
      `DELETE FROM model_calls WHERE is_reported = 1 AND call_id NOT IN
         (SELECT call_id FROM model_calls WHERE is_reported = 1 ORDER BY at DESC LIMIT ?)`,
      KEPT_CALLS,
    );
  }

  #select(where: string, ...bindings: SqlStorageValue[]): StoredCall[] {
    return this.#sql
      .exec<Row>(`SELECT * FROM model_calls WHERE ${where}`, ...bindings)
      .toArray()
      .map(storedCall);
  }
}

function storedCall(row: Row): StoredCall {
  // Only `add` and `close` write this column.
  const cost = JSON.parse(row.cost) as CallCost;
  const reserved = { micros: row.reserved_micros, tokens: row.reserved_tokens };
  return {
    callId: row.call_id,
    turnId: row.turn_id === null ? null : TurnIdSchema.parse(row.turn_id),
    model: ModelRef.parse(row.model),
    repository: row.repository,
    at: row.at,
    expiresAt: row.expires_at,
    reserved,
    cost,
    account: accountOf(row, reserved, cost),
  };
}

function accountOf(row: Row, reserved: Amount, cost: CallCost): CallAccount {
  if (row.state === 'open') return { state: 'open', reserved, expiresAt: row.expires_at };
  return { state: row.state === 'expired' ? 'expired' : 'settled', spent: amountOf(cost) };
}

export function amountOf({ usage, costMicros }: CallCost): Amount {
  return { micros: costMicros ?? 0, tokens: totalTokens(usage) };
}
