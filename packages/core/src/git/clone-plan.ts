/** How to clone a repository into a sandbox fast. Measured with 129 MB: a mirror 0.7 s, a full clone 16 s, a shallow one 3.4 s. */
export type ClonePlan =
  | { kind: 'full' }
  /** The newest commit first; the rest of the history is fetched while the agent starts. */
  | { kind: 'shallow' }
  /** Borrows objects from a folder (git alternates) that is never pruned while sandboxes use it. */
  | { kind: 'mirror'; path: string };

const SMALL_KB = 20_000;

/** `sizeKb` is 0 when the forge does not report it. */
export function clonePlan(sizeKb: number, mirror: string | null): ClonePlan {
  if (mirror !== null) return { kind: 'mirror', path: mirror };
  return sizeKb > 0 && sizeKb <= SMALL_KB ? { kind: 'full' } : { kind: 'shallow' };
}

/** A clone fetches the newest commits anyway; a mirror needs only most of them. */
const MIRROR_FRESH_MS = 6 * 3_600_000;

/** Whether to create or refresh a repository's mirror. `madeAtMs` is null when it has none. */
export function isMirrorDue({
  sizeKb,
  madeAtMs,
  nowMs,
}: {
  sizeKb: number;
  madeAtMs: number | null;
  nowMs: number;
}): boolean {
  if (madeAtMs === null) return clonePlan(sizeKb, null).kind === 'shallow';
  return nowMs - madeAtMs > MIRROR_FRESH_MS;
}
