/** What was served, request by request: the truth that metering and budgets are compared with. */
import type { Usage } from '../answer.ts';
import type { ProtocolName } from '../conversation.ts';
import type { FaultKind } from '../script/fault.ts';
import type { RequestKind } from '../script/script.ts';
import { toUsd } from './price.ts';

/**
 * served: the client was sent everything, usage included. refused: an HTTP error. broken: the script broke the answer.
 * aborted: the client left before the end. Only what was served has a cost.
 */
export type Outcome = 'running' | 'served' | 'refused' | 'broken' | 'aborted';

export interface LedgerEntry {
  seq: number;
  atMs: number;
  durationMs: number;
  protocol: ProtocolName;
  model: string;
  /** The agent's own session id (`x-session-id`), where it sends one. */
  session: string | null;
  /** First 12 hex digits of the key's SHA-256: tells which key came without telling the key. */
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
  /** Pieces of the answer (thought, text, arguments) that were written, also where it was broken off. */
  writtenFragments: number;
  usage: Usage;
  /** null when the model has no known price. */
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

/** A server that runs for weeks must not grow without end. */
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
