/** One connection to a session, over any transport. It is used once: a reconnect opens a new link. */
export interface Link {
  /** Requests the page after this seq. False when the transport cannot send requests: then only a new link helps. */
  replay(after: number): boolean;
  /** Sends a heartbeat; the reply calls `onActivity`. */
  ping(): void;
  /** Closes the link without calling `onEnd`. */
  close(): void;
  /** The link counts as dead after so long without activity. */
  readonly maxSilenceMs: number;
}

export interface LinkHandlers {
  /** One `ServerMessage` as text. */
  onMessage: (text: string) => void;
  /** The server showed that it is alive. */
  onActivity: () => void;
  /** Called once when the server or the network ends the link, with a WebSocket close code, 1006 without one. */
  onEnd: (code: number) => void;
}

/** Opens a link that continues after `seq`. */
export type OpenLink = (seq: number, handlers: LinkHandlers) => Link;
