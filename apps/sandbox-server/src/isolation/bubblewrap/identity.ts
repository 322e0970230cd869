/**
 * Whom a sandbox is on the host. Never root.
 *
 * As root, the files of all sandboxes belong to one range of unused uids, so that layers can be shared copy-on-write:
 * inside, 0 and 1000 are FILE_BASE and FILE_BASE + 1000. The namespace itself is made by a uid that no other sandbox
 * has: the kernel charges inotify instances and the like to a namespace's maker, and with one maker for all, one
 * sandbox could use up everybody's.
 *
 * As an ordinary user only that user's own uid can be mapped, so `root` and `user` are the same inside.
 */

/** 0x70000000: above the ranges that systemd, Docker and /etc/subuid hand out, below the sign bit. */
export const FILE_BASE = 1_879_048_192;
const MAKER_BASE = FILE_BASE + 65_536;
export const MAX_SLOTS = 65_536;
/** Inside, the uid of the namespace's maker. bubblewrap sets things up as it; nothing of the user's runs as it. */
const MAKER_INSIDE = 65_533;

export const USER_UID = 1000;

export type Identity = { mode: 'root'; makerUid: number } | { mode: 'user' };

export function identityFor(slot: number, runningAsRoot: boolean): Identity {
  if (!runningAsRoot) return { mode: 'user' };
  if (slot < 0 || slot >= MAX_SLOTS) throw new RangeError(`no uid left for sandbox slot ${slot}`);
  return { mode: 'root', makerUid: MAKER_BASE + slot };
}

/** Lines of `/proc/PID/uid_map` (and gid_map): inside, outside, count. */
export function idMap(makerUid: number): string {
  return [
    `0 ${FILE_BASE} ${MAKER_INSIDE}`,
    `${MAKER_INSIDE} ${makerUid} 1`,
    `${MAKER_INSIDE + 1} ${FILE_BASE + MAKER_INSIDE + 1} 2`,
  ].join('\n');
}

/** The lowest slot that no living sandbox has. */
export function freeSlot(taken: ReadonlySet<number>): number {
  for (let slot = 0; slot < MAX_SLOTS; slot += 1) if (!taken.has(slot)) return slot;
  throw new RangeError(`all ${MAX_SLOTS} sandbox uids are in use; destroy some sandboxes`);
}
