import type { OpenLink } from './link.ts';

/** A socket that fails this often without a greeting may be impossible here: a proxy that knows no WebSockets. */
const SOCKET_TRIES = 2;

/**
 * A socket where it can be had, otherwise a stream. A refused socket says nothing of why, in a browser at least; the
 * stream that is tried next does.
 */
export class LinkChooser {
  readonly #socket: OpenLink | undefined;
  readonly #stream: OpenLink;
  #failedSockets = 0;
  #isSocket = false;

  constructor(socket: OpenLink | undefined, stream: OpenLink) {
    this.#socket = socket;
    this.#stream = stream;
  }

  next(): OpenLink {
    const socket = this.#failedSockets >= SOCKET_TRIES ? undefined : this.#socket;
    this.#isSocket = socket !== undefined;
    return socket ?? this.#stream;
  }

  /** True when something better than the current link may be had later. */
  isSecondBest(): boolean {
    return !this.#isSocket && this.#socket !== undefined;
  }

  ended(saidHello: boolean): void {
    if (this.#isSocket) this.#failedSockets = saidHello ? 0 : this.#failedSockets + 1;
    // After a stream a socket gets one try, not two: where there are none, a reconnect shall not take long.
    else this.#failedSockets = SOCKET_TRIES - 1;
  }
}
