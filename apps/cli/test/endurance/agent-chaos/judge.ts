/** What became of one interrupted session, judged without any I/O. */
import type { LedgerEntry } from '@ship/demo-model';

const PICO_PER_MICRO = 1_000_000;
/** An answer that broke off is estimated by its length: that may be a little more than what it would have cost. */
const ESTIMATE_SLACK = 1.5;

export interface Bill {
  /** What must have been billed, and what may have been, in millionths of a dollar. */
  leastMicros: number;
  mostMicros: number;
  /** Calls of which nobody can know what they cost: they were cut off, or whoever kept the account was. */
  uncertainCalls: number;
}

const microsOf = ({ costPicoUsd }: LedgerEntry) => Math.round((costPicoUsd ?? 0) / PICO_PER_MICRO);

/** `accountDiedAtMs`: when the control plane was killed, whose notes of calls under way died with it. */
export function expectedBill(
  entries: readonly LedgerEntry[],
  accountDiedAtMs: number | undefined,
): Bill {
  const isCertain = (entry: LedgerEntry) =>
    entry.outcome === 'served' &&
    (accountDiedAtMs === undefined || !wasUnderWay(entry, accountDiedAtMs));
  const asked = entries.filter(({ outcome }) => outcome !== 'refused');
  const certain = asked.filter(isCertain);
  const leastMicros = certain.reduce((sum, entry) => sum + microsOf(entry), 0);
  const uncertainCalls = asked.length - certain.length;
  const dearest = Math.max(0, ...asked.map(uncachedMicros));
  return {
    leastMicros,
    mostMicros: leastMicros + Math.ceil(uncertainCalls * dearest * ESTIMATE_SLACK),
    uncertainCalls,
  };
}

/** A settlement takes a moment after the last byte. */
const SETTLING_MS = 1_500;

function wasUnderWay({ atMs, durationMs }: LedgerEntry, momentMs: number): boolean {
  return atMs <= momentMs + SETTLING_MS && momentMs <= atMs + durationMs + SETTLING_MS;
}

/** As if nothing had come from the provider's cache: an estimate does not know what would. */
function uncachedMicros({ usage }: LedgerEntry): number {
  const prompt = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return prompt * 3.75 + (usage.outputTokens + usage.reasoningTokens) * 15;
}

export const isBilledRightly = ({ leastMicros, mostMicros }: Bill, billedMicros: number): boolean =>
  billedMicros >= leastMicros && billedMicros <= mostMicros;

/** Answers that the model had to give again. */
export function repeatedSteps(entries: readonly LedgerEntry[]): number {
  const steps = entries.filter(({ kind, outcome }) => kind === 'turn' && outcome === 'served');
  return steps.length - new Set(steps.map(({ rule, step }) => `${rule}:${step}`)).size;
}
