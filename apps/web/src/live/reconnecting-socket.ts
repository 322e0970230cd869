import { CLOSE_CODES, PING, PING_INTERVAL_MS } from '@ship/protocol';
import { backoffMs } from './backoff.ts';

/** What this file needs of a WebSocket; tests bring their own. */
export interface Socket {
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'open', listener: () => void): void;
  addEventListener(type: 'close', listener: (event: { code: number }) => void): void;
  send(text: string): void;
  close(): void;
}

export type LinkState = 'connecting' | 'open' | 'waiting' | 'ended';

interface Parts {
  /** Asked before every attempt: it says where to continue. */
  readonly path: () => string;
  readonly open?: (path: string) => Socket;
  /** True when the message made sense: the connection counts as good from then on. */
  readonly onMessage: (message: unknown) => boolean;
  readonly onState?: (state: LinkState) => void;
  /** Whether a close with this code is final. */
  readonly isFinal?: (code: number) => boolean;
  readonly random?: () => number;
}

/** Whoever is put out asks who they are first: coming back at once would only be refused. */
const PUT_OUT_MS = 3000;

/** Stays connected through lost connections, slept machines and pulled cables, until it is closed. */
export function keepConnected(parts: Parts) {
  const { path, onMessage, onState, isFinal = () => false, random = Math.random } = parts;
  const open = parts.open ?? ((where: string): Socket => new WebSocket(where));
  let failures = 0;
  let socket: Socket | undefined;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let pingTimer: ReturnType<typeof setInterval> | undefined;
  let heardAtMs = 0;
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
    const leastMs = code === CLOSE_CODES['sign-in'] ? PUT_OUT_MS : 0;
    retryTimer = setTimeout(connect, leastMs + backoffMs(failures, random()));
    failures += 1;
  };

  function connect() {
    onState?.('connecting');
    const opened = open(path());
    socket = opened;
    heardAtMs = Date.now();
    opened.addEventListener('message', ({ data }) => {
      if (opened !== socket) return;
      heardAtMs = Date.now();
      if (onMessage(readJson(data))) failures = 0;
    });
    opened.addEventListener('close', ({ code }) => {
      if (opened === socket) drop(code);
    });
    opened.addEventListener('open', () => {
      if (opened !== socket) return;
      onState?.('open');
      pingTimer = setInterval(() => {
        // A cable that was pulled closes nothing: silence over two pings counts as lost.
        if (Date.now() - heardAtMs > 2.5 * PING_INTERVAL_MS) {
          opened.close();
          if (opened === socket) drop(0);
        } else opened.send(PING);
      }, PING_INTERVAL_MS);
    });
  }

  connect();
  return {
    send: (message: unknown) => socket?.send(JSON.stringify(message)),
    /** The machine woke up or the network came back: do not sit out the wait. */
    hurry() {
      if (socket !== undefined || isClosed) return;
      clearTimeout(retryTimer);
      connect();
    },
    /** Something is wrong with what was heard: begin anew from where `path` says. */
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
