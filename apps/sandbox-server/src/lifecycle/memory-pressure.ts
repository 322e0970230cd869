/** Decides which sandbox frees memory when the machine runs short of it. Pure; called again after each step. */

export interface MemoryReading {
  availableMb: number;
  /** Share of the last ten seconds in which nothing could run for lack of memory; undefined where the kernel has no PSI. */
  stallPercent: number | undefined;
}

export interface PressureLimits {
  minAvailableMb: number;
  maxStallPercent: number;
}

/** A sandbox whose processes may be killed to free memory: a frozen one, or one that its owner marked. */
export interface EvictionCandidate {
  id: string;
  isFrozen: boolean;
  /** Undefined: frozen by a server version that did not record it, so it counts as the oldest. */
  idleSinceMs: number | undefined;
}

type Relief =
  | { do: 'nothing' }
  /** `again`: the freed memory is visible immediately, so check again; otherwise only the next round can tell. */
  | { do: 'sleep'; id: string; again: boolean };

/**
 * Frozen ones first, then the longest idle: they are the least likely to be missed. A shortage is measured again after each
 * one. Stalls are an average over seconds, which stays high even when all are asleep, so they cost one sandbox per round.
 */
export function relieve(
  reading: MemoryReading,
  limits: PressureLimits,
  candidates: readonly EvictionCandidate[],
): Relief {
  const isShort = reading.availableMb < limits.minAvailableMb;
  const isStalled = (reading.stallPercent ?? 0) > limits.maxStallPercent;
  if (!isShort && !isStalled) return { do: 'nothing' };
  const [oldest] = candidates.toSorted(
    (a, b) =>
      Number(b.isFrozen) - Number(a.isFrozen) || (a.idleSinceMs ?? 0) - (b.idleSinceMs ?? 0),
  );
  return oldest === undefined ? { do: 'nothing' } : { do: 'sleep', id: oldest.id, again: isShort };
}
