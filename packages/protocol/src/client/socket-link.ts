import { PING, PING_INTERVAL_MS, PONG } from '../socket.ts';
import { PROTOCOL_VERSION } from '../version.ts';
import type { HttpClient } from './http.ts';
import type { Link, OpenLink } from './link.ts';

/** As much of a WebSocket as is used here: the browser's and Node's fit. */
export interface SocketLike {
  send(text: string): void;
  close(): void;
  addEventListener(
    type: 'message' | 'close' | 'error',
    listener: (event: { data?: unknown; code?: number }) => void,
  ): void;
}

export type OpenSocket = (url: string, headers: Record<string, string>) => SocketLike;

const PONG_TIMEOUT_MS = 10_000;
const ABNORMAL = 1006;

/** Undefined where there is no WebSocket (Node 20): server-sent events do there. */
export const systemSocket: OpenSocket | undefined =
  typeof WebSocket === 'undefined'
    ? undefined
    : (url, headers) =>
        Object.keys(headers).length === 0
          ? new WebSocket(url)
          : // Node's takes headers in place of protocols; a browser has none to give, its cookie is enough.
            new WebSocket(url, { headers } as unknown as string[]);

export function socketLink(http: HttpClient, path: string, openSocket: OpenSocket): OpenLink {
  return (seq, { onMessage, onHeard, onEnd }) => {
    const url = new URL(http.url(path, { after: seq, protocol: PROTOCOL_VERSION }), pageAddress());
    url.protocol = url.protocol.replace('http', 'ws');
    const socket = openSocket(url.href, http.headers());
    let isOver = false;
    const end = (code: number) => {
      if (isOver) return;
      isOver = true;
      onEnd(code);
    };
    socket.addEventListener('message', ({ data }) => {
      if (isOver || typeof data !== 'string') return;
      if (data === PONG) onHeard();
      else onMessage(data);
    });
    socket.addEventListener('close', ({ code }) => end(code ?? ABNORMAL));
    socket.addEventListener('error', () => end(ABNORMAL));
    const send = (text: string) => {
      try {
        if (!isOver) socket.send(text);
      } catch {
        // Not open yet, or no more: its end is told by its own event.
      }
    };
    const link: Link = {
      maxSilenceMs: PING_INTERVAL_MS + PONG_TIMEOUT_MS,
      replay: (after) => {
        send(JSON.stringify({ type: 'replay', after }));
        return true;
      },
      ping: () => send(PING),
      close: () => {
        isOver = true;
        socket.close();
      },
    };
    return link;
  };
}

/** In a page an address may be relative to it; elsewhere there is no page. */
function pageAddress(): string | undefined {
  return (globalThis as { location?: { href: string } }).location?.href;
}
