/** Judges one interrupted session, without I/O. */
import type { LedgerEntry } from '@ship/demo-model';

const PICO_PER_MICRO = 1_000_000;
/** An aborted answer costs its bound, at most the reservation: a full context and a full answer of the demo model. */
const RESERVATION_MICROS = 128_000 * 3 + 8_192 * 15;

export interface Bill {
  /** The minimum and maximum bill, in millionths of a dollar. */
  leastMicros: number;
  mostMicros: number;
  /** Calls that were aborted, at either end. */
  uncertainCalls: number;
}

const microsOf = ({ costPicoUsd }: LedgerEntry) => Math.round((costPicoUsd ?? 0) / PICO_PER_MICRO);

/**
 * The bill of a call that was running at the kill is uncertain: its record was lost with the control plane, or the gateway lost
 * its client and never read the end of the answer, which contains the usage.
 */
export function expectedBill(
  entries: readonly LedgerEntry[],
  kill: { atMs: number; settlingMs: number },
): Bill {
  const isCertain = (entry: LedgerEntry) => entry.outcome === 'served' && !wasRunning(entry, kill);
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

function wasRunning(
  { atMs, durationMs }: LedgerEntry,
  kill: { atMs: number; settlingMs: number },
): boolean {
  const { settlingMs } = kill;
  return atMs <= kill.atMs + settlingMs && kill.atMs <= atMs + durationMs + settlingMs;
}

export const isBilledCorrectly = (
  { leastMicros, mostMicros }: Bill,
  billedMicros: number,
): boolean => billedMicros >= leastMicros && billedMicros <= mostMicros;

/** Number of answers that the model had to repeat. */
export function repeatedSteps(entries: readonly LedgerEntry[]): number {
  const steps = entries.filter(({ kind, outcome }) => kind === 'turn' && outcome === 'served');
  return steps.length - new Set(steps.map(({ rule, step }) => `${rule}:${step}`)).size;
}
