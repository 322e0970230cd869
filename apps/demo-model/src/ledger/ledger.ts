/** A record of every request, as the reference for metering and budgets. */
import type { Usage } from '../answer.ts';
import type { ProtocolName } from '../conversation.ts';
import type { FaultKind } from '../script/fault.ts';
import type { RequestKind } from '../script/script.ts';
import { toUsd } from './price.ts';

/**
 * served: the complete answer was sent, including usage. refused: an HTTP error. broken: a fault of the script ended the
 * answer. aborted: the client disconnected. Only served requests have a cost.
 */
export type Outcome = 'running' | 'served' | 'refused' | 'broken' | 'aborted';

export interface LedgerEntry {
  seq: number;
  atMs: number;
  durationMs: number;
  protocol: ProtocolName;
  model: string;
  /** The agent's session id (`x-session-id`), if sent. */
  session: string | null;
  /** First 12 hex digits of the key's SHA-256: identifies the key without revealing it. */
  keySha256: string | null;
  kind: RequestKind;
  rule: string | null;
  step: number;
  prompt: string;
  tools: string[];
  fault: FaultKind | null;
  outcome: Outcome;
  status: number;
  streamed: boolean;
  /** Number of fragments written (reasoning, text, arguments), also of an incomplete answer. */
  writtenFragments: number;
  usage: Usage;
  /** null when the price of the model is unknown. */
  costPicoUsd: number | null;
  costUsd: number | null;
}

export interface LedgerTotals {
  requests: number;
  served: number;
  usage: Usage;
  costPicoUsd: number;
  costUsd: number;
  unpricedRequests: number;
}

export interface LedgerReport {
  entries: LedgerEntry[];
  totals: LedgerTotals;
}

export const NO_USAGE: Usage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
};

/** Limits memory use of long-running servers. */
const MAX_ENTRIES = 10_000;

export class Ledger {
  #entries: LedgerEntry[] = [];
  #lastSeq = 0;

  nextSeq(): number {
    return ++this.#lastSeq;
  }

  add(entry: LedgerEntry): void {
    this.#entries.push(entry);
    if (this.#entries.length > MAX_ENTRIES) this.#entries.shift();
  }

  clear(): void {
    this.#entries = [];
  }

  report(session?: string): LedgerReport {
    const entries = this.#entries
      .filter((entry) => session === undefined || entry.session === session)
      .map((entry) => ({ ...entry }));
    return { entries, totals: totalsOf(entries) };
  }
}

function totalsOf(entries: LedgerEntry[]): LedgerTotals {
  const served = entries.filter((entry) => entry.outcome === 'served');
  const usage = served.reduce((sum, entry) => addUsage(sum, entry.usage), NO_USAGE);
  const costPicoUsd = served.reduce((sum, entry) => sum + (entry.costPicoUsd ?? 0), 0);
  return {
    requests: entries.length,
    served: served.length,
    usage,
    costPicoUsd,
    costUsd: toUsd(costPicoUsd),
    unpricedRequests: served.filter((entry) => entry.costPicoUsd === null).length,
  };
}

function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  };
}
