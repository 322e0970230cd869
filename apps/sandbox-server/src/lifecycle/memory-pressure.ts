/** Who gives memory back when the machine runs short of it: a pure decision, asked again after each step. */

export interface MemoryReading {
  availableMb: number;
  /** Share of the last ten seconds in which nothing could run for want of memory; undefined where the kernel tells not. */
  stallPercent: number | undefined;
}

export interface PressureLimits {
  minAvailableMb: number;
  maxStallPercent: number;
}

/** A sandbox whose processes may be ended for the memory of others: a frozen one, or one that its owner marked. */
export interface EvictionCandidate {
  id: string;
  isFrozen: boolean;
  /** Undefined: frozen by a server that did not note it, so longer ago than all others. */
  idleSinceMs: number | undefined;
}

type Relief =
  | { do: 'nothing' }
  /** `again`: what it gave back shows at once, so look again; otherwise only the next round can tell. */
  | { do: 'sleep'; id: string; again: boolean };

/**
 * The frozen ones first, and the longest idle first: they are the least likely to be missed. A shortage is measured anew after each one; stalls are
 * an average over seconds, which would still be high when everybody is asleep, so they cost one sandbox a round.
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
