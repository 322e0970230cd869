import type { OpenLink } from './link.ts';

/** After so many failures without a hello, WebSockets may be impossible here, for example behind a proxy. */
const SOCKET_TRIES = 2;

/**
 * Prefers a WebSocket and falls back to server-sent events. A browser does not say why a socket was refused; the stream that is
 * tried next does.
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

  /** True when the current link is a fallback, and a socket may work later. */
  isFallback(): boolean {
    return !this.#isSocket && this.#socket !== undefined;
  }

  ended(hadHello: boolean): void {
    if (this.#isSocket) this.#failedSockets = hadHello ? 0 : this.#failedSockets + 1;
    // After a stream, try a socket only once: without WebSockets a reconnect must not take long.
    else this.#failedSockets = SOCKET_TRIES - 1;
  }
}
