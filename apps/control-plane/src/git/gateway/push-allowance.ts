/**
 * How much a session may push. Every byte ends up on the forge's disk, where deleting a ref frees nothing: without a limit
 * one sandbox fills the disk of everybody.
 */
export interface PushLimits {
  /** GitHub takes no larger pack either. */
  pushBytes: number;
  /** Of all pushes of one session together, refused ones too; as much as its sandbox may have on disk. */
  sessionBytes: number;
}

const PUSH_LIMITS: PushLimits = {
  pushBytes: 2 * 1024 ** 3,
  sessionBytes: 10 * 1024 ** 3,
};

/** Sessions that are remembered; beyond it the one that has pushed least lately is forgotten. */
const MAX_SESSIONS = 10_000;

export class PushTooLarge extends Error {}

/** Counts what passes, in this process: a restart of the control plane begins at nothing. */
export class PushAllowance {
  readonly #limits: PushLimits;
  readonly #pushed = new Map<string, number>();

  constructor(limits: PushLimits = PUSH_LIMITS) {
    this.#limits = limits;
  }

  /** For one push: called with every piece, and throws at the first that is too much. */
  meter(sessionId: string): (bytes: number) => void {
    let push = 0;
    return (bytes) => {
      push += bytes;
      const session = (this.#pushed.get(sessionId) ?? 0) + bytes;
      this.#remember(sessionId, session);
      const { pushBytes, sessionBytes } = this.#limits;
      if (push > pushBytes)
        throw new PushTooLarge(`Ship: a push may have ${size(pushBytes)} at most`);
      if (session > sessionBytes)
        throw new PushTooLarge(
          `Ship: this session has pushed ${size(sessionBytes)}, which is all it may; begin a new one`,
        );
    };
  }

  #remember(sessionId: string, bytes: number): void {
    this.#pushed.delete(sessionId);
    this.#pushed.set(sessionId, bytes);
    if (this.#pushed.size <= MAX_SESSIONS) return;
    for (const oldest of this.#pushed.keys()) {
      this.#pushed.delete(oldest);
      return;
    }
  }
}

function size(bytes: number): string {
  const megabytes = bytes / 1024 ** 2;
  return megabytes >= 1024 ? `${megabytes / 1024} GB` : `${megabytes} MB`;
}
