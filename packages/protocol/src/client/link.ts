/** One connection to a session, whatever carries it. It is used once: after `onEnd` there is a new one. */
export interface Link {
  /** Asks for the page after this seq. False when this kind cannot be asked: then only a new one helps. */
  replay(after: number): boolean;
  /** Shows that it is alive; the answer comes as `onHeard`. */
  ping(): void;
  /** Ends it without another word. */
  close(): void;
  /** How long silence may last before it is taken for dead. */
  readonly maxSilenceMs: number;
}

export interface LinkHandlers {
  /** One `ServerMessage` as text. */
  onMessage: (text: string) => void;
  /** Something arrived, though nothing to read. */
  onHeard: () => void;
  /** Once, when the other side or the network ended it. The code is a WebSocket's close code, 1006 when there is none. */
  onEnd: (code: number) => void;
}

/** Opens a link that continues after `seq`. */
export type OpenLink = (seq: number, handlers: LinkHandlers) => Link;
