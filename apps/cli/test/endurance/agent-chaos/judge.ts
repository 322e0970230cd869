/** What became of one interrupted session, judged without any I/O. */
import type { LedgerEntry } from '@ship/demo-model';

const PICO_PER_MICRO = 1_000_000;
/** An answer that broke off costs its bound, at most the reservation: a full context and a full answer of the demo model. */
const RESERVATION_MICROS = 128_000 * 3 + 8_192 * 15;

export interface Bill {
  /** What must have been billed, and what may have been, in millionths of a dollar. */
  leastMicros: number;
  mostMicros: number;
  /** Calls that were cut off, at either end. */
  uncertainCalls: number;
}

const microsOf = ({ costPicoUsd }: LedgerEntry) => Math.round((costPicoUsd ?? 0) / PICO_PER_MICRO);

/**
 * Of a call that was under way when something was killed nobody can know: the notes of it died with the control plane, or
 * the gateway had nobody left to pass the answer to and never read the end of it, which says what it cost.
 */
export function expectedBill(
  entries: readonly LedgerEntry[],
  kill: { atMs: number; settlingMs: number },
): Bill {
  const isCertain = (entry: LedgerEntry) => entry.outcome === 'served' && !wasUnderWay(entry, kill);
  const asked = entries.filter(({ outcome }) => outcome !== 'refused');
  const certain = asked.filter(isCertain);
  const leastMicros = certain.reduce((sum, entry) => sum + microsOf(entry), 0);
  const uncertainCalls = asked.length - certain.length;
  return {
    leastMicros,
    mostMicros: leastMicros + uncertainCalls * RESERVATION_MICROS,
    uncertainCalls,
  };
}

function wasUnderWay(
  { atMs, durationMs }: LedgerEntry,
  kill: { atMs: number; settlingMs: number },
): boolean {
  const { settlingMs } = kill;
  return atMs <= kill.atMs + settlingMs && kill.atMs <= atMs + durationMs + settlingMs;
}

export const isBilledRightly = ({ leastMicros, mostMicros }: Bill, billedMicros: number): boolean =>
  billedMicros >= leastMicros && billedMicros <= mostMicros;

/** Answers that the model had to give again. */
export function repeatedSteps(entries: readonly LedgerEntry[]): number {
  const steps = entries.filter(({ kind, outcome }) => kind === 'turn' && outcome === 'served');
  return steps.length - new Set(steps.map(({ rule, step }) => `${rule}:${step}`)).size;
}
