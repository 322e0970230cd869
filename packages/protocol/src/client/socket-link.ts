import { PING, PING_INTERVAL_MS, PONG } from '../socket.ts';
import { PROTOCOL_VERSION } from '../version.ts';
import type { HttpClient } from './http.ts';
import type { Link, OpenLink } from './link.ts';

/** The part of the WebSocket interface that is used here; the browser's and Node's have it. */
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

/** Undefined without a global WebSocket (Node 20): then server-sent events are used. */
export const systemSocket: OpenSocket | undefined =
  typeof WebSocket === 'undefined'
    ? undefined
    : (url, headers) =>
        Object.keys(headers).length === 0
          ? new WebSocket(url)
          : // Node's constructor accepts headers in place of protocols; a browser sends its cookie instead.
            new WebSocket(url, { headers } as unknown as string[]);

export function socketLink(http: HttpClient, path: string, openSocket: OpenSocket): OpenLink {
  return (seq, { onMessage, onActivity, onEnd }) => {
    const url = new URL(http.url(path, { after: seq, protocol: PROTOCOL_VERSION }), pageUrl());
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
      if (data === PONG) onActivity();
      else onMessage(data);
    });
    socket.addEventListener('close', ({ code }) => end(code ?? ABNORMAL));
    socket.addEventListener('error', () => end(ABNORMAL));
    const send = (text: string) => {
      try {
        if (!isOver) socket.send(text);
      } catch {
        // The socket is not open; its close event reports the end.
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

/** Base for relative URLs in a browser; undefined elsewhere. */
function pageUrl(): string | undefined {
  return (globalThis as { location?: { href: string } }).location?.href;
}
