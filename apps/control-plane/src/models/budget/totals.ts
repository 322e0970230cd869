import { NO_TOKENS, totalTokens } from '@ship/core';
import type { CallCost, Spent } from './port.ts';

const NOTHING_SPENT: Spent = {
  micros: 0,
  tokens: 0,
  usage: NO_TOKENS,
  calls: 0,
  unpricedCalls: 0,
  estimatedCalls: 0,
};

const COLUMNS = [
  'micros',
  'tokens',
  'input_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'output_tokens',
  'reasoning_tokens',
  'calls',
  'unpriced_calls',
  'estimated_calls',
] as const;

const ADD = `INSERT INTO model_totals (scope, ${COLUMNS.join(', ')})
  VALUES (?, ${COLUMNS.map(() => '?').join(', ')})
  ON CONFLICT (scope) DO UPDATE SET ${COLUMNS.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`;

/** Running totals per turn and session: summing all calls for each call would get slower with their number. */
export class SpentTotals {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  of(scope: string): Spent {
    const [row] = this.#sql
      .exec<Record<(typeof COLUMNS)[number], number>>(
        `SELECT ${COLUMNS.join(', ')} FROM model_totals WHERE scope = ?`,
        scope,
      )
      .toArray();
    if (row === undefined) return NOTHING_SPENT;
    return {
      micros: row.micros,
      tokens: row.tokens,
      usage: {
        inputTokens: row.input_tokens,
        cacheReadTokens: row.cache_read_tokens,
        cacheWriteTokens: row.cache_write_tokens,
        outputTokens: row.output_tokens,
        reasoningTokens: row.reasoning_tokens,
      },
      calls: row.calls,
      unpricedCalls: row.unpriced_calls,
      estimatedCalls: row.estimated_calls,
    };
  }

  add(scopes: readonly string[], cost: CallCost): void {
    this.#change(scopes, cost, 1);
  }

  /** Subtracts an estimate that the actual cost replaces. */
  subtract(scopes: readonly string[], cost: CallCost): void {
    this.#change(scopes, cost, -1);
  }

  #change(scopes: readonly string[], { usage, costMicros, isEstimate }: CallCost, sign: 1 | -1) {
    const used = totalTokens(usage) > 0;
    const values = [
      costMicros ?? 0,
      totalTokens(usage),
      usage.inputTokens,
      usage.cacheReadTokens,
      usage.cacheWriteTokens,
      usage.outputTokens,
      usage.reasoningTokens,
      used ? 1 : 0,
      used && costMicros === null ? 1 : 0,
      used && isEstimate ? 1 : 0,
    ];
    for (const scope of scopes) this.#sql.exec(ADD, scope, ...values.map((value) => sign * value));
  }
}
