/**
 * The uids and gids of sandboxes on the host. A sandbox is never root there.
 *
 * With a range of ids, `root` (0) and `user` (1000) inside are two ids, neither of them the server's. All sandboxes
 * share them, so that layers can be shared copy-on-write. Each user namespace is created by an id that no other sandbox
 * has: the kernel charges inotify instances and the like to the creator of a namespace, and with one creator for all,
 * one sandbox could use up the quota of every other.
 *
 * As root the server takes unused ids. An ordinary user has the subordinate ids of /etc/subuid and /etc/subgid, seen
 * through a user namespace in which 0 is that user (user-namespace.ts). Without subordinate ids the kernel maps a
 * single id, so `root` and `user` are the same inside.
 */
export type IdentityMode = 'root' | 'subordinate' | 'single';

/** Ids as the launcher sees them: on the host for root, in the namespace of subordinate ids otherwise. */
interface IdRange {
  /** `root` inside; the ids above it follow in order. */
  fileBase: number;
  fileCount: number;
  /** 65534 inside, which programs know as nobody. */
  overflow: number;
  overflowCount: number;
  creatorBase: number;
  slots: number;
}

/** 0x70000000: above the ranges that systemd, Docker and /etc/subuid hand out, below the sign bit. */
const FILE_BASE = 1_879_048_192;
/** The uid of the namespace's creator inside. bubblewrap sets up the sandbox as it; no command runs as it. */
const CREATOR_INSIDE = 65_533;

const RANGES: Record<Exclude<IdentityMode, 'single'>, IdRange> = {
  root: {
    fileBase: FILE_BASE,
    fileCount: CREATOR_INSIDE,
    overflow: FILE_BASE + CREATOR_INSIDE + 1,
    overflowCount: 2,
    creatorBase: FILE_BASE + 65_536,
    slots: 65_536,
  },
  // Debian hands out 65,536 subordinate ids: half for files, half for creators. 0 is the server's own user.
  subordinate: {
    fileBase: 1,
    fileCount: 32_767,
    overflow: 32_768,
    overflowCount: 1,
    creatorBase: 32_769,
    slots: 32_768,
  },
};

/** Number of subordinate ids that the ranges above need. */
export const SUBORDINATE_COUNT = 65_536;

const USER_UID = 1000;

export type Identity =
  | { mode: 'single' }
  | {
      mode: 'root' | 'subordinate';
      /** Owner of `/` inside. */
      rootUid: number;
      creatorUid: number;
      /** Lines of `/proc/PID/uid_map` and gid_map: inside, outside, count. */
      idMap: string;
    };

/** The owners of a new layer's files; undefined when there is only one id. */
export function fileOwners(mode: IdentityMode): { root: number; user: number } | undefined {
  if (mode === 'single') return undefined;
  const { fileBase } = RANGES[mode];
  return { root: fileBase, user: fileBase + USER_UID };
}

export function identityFor(slot: number, mode: IdentityMode): Identity {
  if (mode === 'single') return { mode };
  const range = RANGES[mode];
  if (slot < 0 || slot >= range.slots) throw new RangeError(`no uid left for sandbox slot ${slot}`);
  const creatorUid = range.creatorBase + slot;
  const idMap = [
    `0 ${range.fileBase} ${range.fileCount}`,
    `${CREATOR_INSIDE} ${creatorUid} 1`,
    `${CREATOR_INSIDE + 1} ${range.overflow} ${range.overflowCount}`,
  ].join('\n');
  return { mode, rootUid: range.fileBase, creatorUid, idMap };
}

/** The lowest slot that no living sandbox has. */
export function freeSlot(taken: ReadonlySet<number>): number {
  // The smaller of the ranges: a data folder keeps its slots when the mode changes.
  const { slots } = RANGES.subordinate;
  for (let slot = 0; slot < slots; slot += 1) if (!taken.has(slot)) return slot;
  throw new RangeError(`all ${slots} sandbox uids are in use; destroy some sandboxes`);
}
