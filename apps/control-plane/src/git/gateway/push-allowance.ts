import type { SessionId } from '@ship/protocol';

/**
 * Limits how much a session may push. Every byte ends up on the forge's disk, where deleting a ref frees nothing: without a
 * limit one sandbox could fill the disk for everybody.
 */
export interface PushLimits {
  /** GitHub accepts no larger pack either. */
  pushBytes: number;
  /** For all pushes of one session together, including refused ones; as much as its sandbox may have on disk. */
  sessionBytes: number;
}

const PUSH_LIMITS: PushLimits = {
  pushBytes: 2 * 1024 ** 3,
  sessionBytes: 10 * 1024 ** 3,
};

/** The session's stored count of pushed bytes: a count in this process would restart at zero. */
export interface PushLedger {
  /** Counts up to `bytes` as pushed, and returns how many of them are within the limit. */
  take(sessionId: SessionId, bytes: number, limitBytes: number): Promise<number>;
  /** Returns bytes that were taken and not used. */
  giveBack(sessionId: SessionId, bytes: number): Promise<void>;
}

/** A push of unknown length first leases this much, then twice as much each time: few calls, and little lost in a crash. */
const FIRST_LEASE_BYTES = 1024 ** 2;
const MAX_LEASE_BYTES = 64 * 1024 ** 2;

export class PushTooLarge extends Error {}

export class PushAllowance {
  readonly #ledger: PushLedger;
  readonly #limits: PushLimits;

  constructor(ledger: PushLedger, limits: PushLimits = PUSH_LIMITS) {
    this.#ledger = ledger;
    this.#limits = limits;
  }

  /** For one push. `expectedBytes` comes from the request; it is not trusted, only leased first. */
  meter(sessionId: SessionId, expectedBytes = FIRST_LEASE_BYTES): PushMeter {
    return new PushMeter(sessionId, this.#ledger, this.#limits, expectedBytes);
  }
}

/** Leases bytes from the ledger before they pass: a crash in the middle of a push then counts too much, never too little. */
export class PushMeter {
  readonly #sessionId: SessionId;
  readonly #ledger: PushLedger;
  readonly #limits: PushLimits;
  #push = 0;
  #leased = 0;
  #nextLease: number;

  constructor(sessionId: SessionId, ledger: PushLedger, limits: PushLimits, firstLease: number) {
    this.#sessionId = sessionId;
    this.#ledger = ledger;
    this.#limits = limits;
    this.#nextLease = Math.min(firstLease, MAX_LEASE_BYTES);
  }

  /** Called with every chunk; throws at the first one beyond the limit. */
  async count(bytes: number): Promise<void> {
    const { pushBytes, sessionBytes } = this.#limits;
    this.#push += bytes;
    if (this.#push > this.#leased) {
      const missing = this.#push - this.#leased;
      const wanted = Math.max(missing, this.#nextLease);
      this.#nextLease = Math.min(Math.max(wanted, FIRST_LEASE_BYTES) * 2, MAX_LEASE_BYTES);
      this.#leased += await this.#ledger.take(this.#sessionId, wanted, sessionBytes);
    }
    if (this.#push > pushBytes)
      throw new PushTooLarge(`Ship: a push may have ${size(pushBytes)} at most`);
    if (this.#push > this.#leased)
      throw new PushTooLarge(
        `Ship: this session has pushed ${size(sessionBytes)}, its limit; start a new session`,
      );
  }

  /** Called at the end of the push. */
  async close(): Promise<void> {
    const unused = this.#leased - this.#push;
    if (unused <= 0) return;
    this.#leased = this.#push;
    await this.#ledger.giveBack(this.#sessionId, unused);
  }
}

function size(bytes: number): string {
  const megabytes = bytes / 1024 ** 2;
  return megabytes >= 1024 ? `${megabytes / 1024} GB` : `${megabytes} MB`;
}
