import { CLOSE_CODES, PING, PING_INTERVAL_MS } from '@ship/protocol';
import { backoffMs } from './backoff.ts';

/** The part of WebSocket that this file uses; tests pass a fake. */
export interface Socket {
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'open', listener: () => void): void;
  addEventListener(type: 'close', listener: (event: { code: number }) => void): void;
  send(text: string): void;
  close(): void;
}

export type LinkState = 'connecting' | 'open' | 'waiting' | 'ended';

interface Options {
  /** Called before every attempt, as the resume position changes. */
  readonly path: () => string;
  readonly open?: (path: string) => Socket;
  /** Returns true for a valid message, which resets the backoff. */
  readonly onMessage: (message: unknown) => boolean;
  readonly onState?: (state: LinkState) => void;
  /** Whether a close with this code is final. */
  readonly isFinal?: (code: number) => boolean;
  readonly random?: () => number;
}

/** After a sign-in close, the page checks the sign-in first; an immediate reconnect would only be refused. */
const SIGN_IN_RETRY_MS = 3000;

/** Reconnects after lost connections and machine sleep until it is closed. */
export function keepConnected(options: Options) {
  const { path, onMessage, onState, isFinal = () => false, random = Math.random } = options;
  const open = options.open ?? ((where: string): Socket => new WebSocket(where));
  let failures = 0;
  let socket: Socket | undefined;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let pingTimer: ReturnType<typeof setInterval> | undefined;
  let lastMessageAtMs = 0;
  let isClosed = false;

  const drop = (code: number) => {
    clearInterval(pingTimer);
    socket = undefined;
    if (isClosed) return;
    if (isFinal(code)) {
      isClosed = true;
      onState?.('ended');
      return;
    }
    onState?.('waiting');
    const minMs = code === CLOSE_CODES['sign-in'] ? SIGN_IN_RETRY_MS : 0;
    retryTimer = setTimeout(connect, minMs + backoffMs(failures, random()));
    failures += 1;
  };

  function connect() {
    onState?.('connecting');
    const opened = open(path());
    socket = opened;
    lastMessageAtMs = Date.now();
    opened.addEventListener('message', ({ data }) => {
      if (opened !== socket) return;
      lastMessageAtMs = Date.now();
      if (onMessage(readJson(data))) failures = 0;
    });
    opened.addEventListener('close', ({ code }) => {
      if (opened === socket) drop(code);
    });
    opened.addEventListener('open', () => {
      if (opened !== socket) return;
      onState?.('open');
      pingTimer = setInterval(() => {
        // A pulled cable closes nothing: silence over two pings counts as lost.
        if (Date.now() - lastMessageAtMs > 2.5 * PING_INTERVAL_MS) {
          opened.close();
          if (opened === socket) drop(0);
        } else opened.send(PING);
      }, PING_INTERVAL_MS);
    });
  }

  connect();
  return {
    send: (message: unknown) => socket?.send(JSON.stringify(message)),
    /** Reconnects at once, for example after the machine woke up or the network returned. */
    reconnectNow() {
      if (socket !== undefined || isClosed) return;
      clearTimeout(retryTimer);
      connect();
    },
    /** Drops the connection and resumes from `path`, for example after an invalid message. */
    reconnect() {
      const dropped = socket;
      socket = undefined;
      dropped?.close();
      if (!isClosed) drop(0);
    },
    close() {
      isClosed = true;
      clearTimeout(retryTimer);
      clearInterval(pingTimer);
      socket?.close();
    },
  };
}

function readJson(data: unknown): unknown {
  if (typeof data !== 'string') return undefined;
  try {
    return JSON.parse(data) as unknown;
  } catch {
    return undefined;
  }
}
