import { CLOSE_CODES } from '../socket.ts';
import { PROTOCOL_VERSION } from '../version.ts';
import type { HttpClient } from './http.ts';
import type { LinkHandlers, OpenLink } from './link.ts';
import { SseParser } from './sse-parser.ts';

/** The server sends a heartbeat every 5 s. */
const MAX_SILENCE_MS = 20_000;
const ABNORMAL = 1006;
const NORMAL = 1000;

/** The WebSocket close code for each HTTP status of a refusal. */
const CODE_OF_STATUS: Record<number, number> = {
  401: CLOSE_CODES['sign-in'],
  403: CLOSE_CODES['sign-in'],
  404: CLOSE_CODES['session-gone'],
  410: CLOSE_CODES['session-gone'],
  426: CLOSE_CODES['upgrade-client'],
  429: CLOSE_CODES['slow-down'],
};

/** Server-sent events over fetch, for networks and programs without WebSockets. It cannot send requests. */
export function streamLink(http: HttpClient, path: string): OpenLink {
  return (seq, handlers) => {
    const stop = new AbortController();
    let isOver = false;
    const end = (code: number) => {
      if (isOver) return;
      isOver = true;
      handlers.onEnd(code);
    };
    const url = http.url(path, { after: seq, protocol: PROTOCOL_VERSION });
    const init = {
      headers: { accept: 'text/event-stream', 'cache-control': 'no-store', ...http.headers() },
      signal: stop.signal,
    };
    const guarded: LinkHandlers = {
      onMessage: (text) => (isOver ? undefined : handlers.onMessage(text)),
      onActivity: () => (isOver ? undefined : handlers.onActivity()),
      onEnd: end,
    };
    read(() => http.fetch(url, init), guarded).then(end, () => end(ABNORMAL));
    return {
      maxSilenceMs: MAX_SILENCE_MS,
      replay: () => false,
      ping: () => undefined,
      close: () => {
        isOver = true;
        stop.abort();
      },
    };
  };
}

async function read(open: () => Promise<Response>, handlers: LinkHandlers): Promise<number> {
  const response = await open();
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    return CODE_OF_STATUS[response.status] ?? ABNORMAL;
  }
  const parser = new SseParser();
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return NORMAL;
    const events = parser.push(decoder.decode(value, { stream: true }));
    handlers.onActivity();
    for (const { data } of events) handlers.onMessage(data);
  }
}
