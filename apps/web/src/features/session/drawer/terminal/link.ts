import {
  MAX_INPUT_CHARACTERS,
  TERMINAL_ACK_BYTES,
  TERMINAL_CLOSE_CODES,
  TerminalServerMessage,
} from '@ship/protocol';
import type { SessionId, ShipError, TerminalClientMessage } from '@ship/protocol';
import { keepConnected } from '../../../../live/reconnecting-socket.ts';
import type { Socket } from '../../../../live/reconnecting-socket.ts';

export type LinkView =
  | { readonly status: 'connecting' | 'open' | 'waiting' }
  | { readonly status: 'ended'; readonly exitCode: number }
  | { readonly status: 'refused'; readonly error: ShipError | null };

/** The part of a screen that this file uses; tests pass a fake. */
interface Display {
  size(): { readonly cols: number; readonly rows: number };
  /** Calls `onRendered` after the bytes were rendered. */
  write(bytes: Uint8Array, onRendered: () => void): void;
  reset(): void;
}

type BinarySocket = Socket & { binaryType: BinaryType };

interface Options {
  readonly sessionId: SessionId;
  readonly name: string;
  readonly display: Display;
  readonly onView: (view: LinkView) => void;
  readonly open?: (path: string) => BinarySocket;
}

const finalCodes: ReadonlySet<number> = new Set([
  TERMINAL_CLOSE_CODES.ended,
  TERMINAL_CLOSE_CODES.refused,
  TERMINAL_CLOSE_CODES['sign-in'],
]);

/** Connects a terminal, reconnects after lost connections, and acknowledges rendered bytes for flow control. */
export function connectTerminal({ sessionId, name, display, onView, ...rest }: Options) {
  const openSocket = rest.open ?? ((where: string): BinarySocket => new WebSocket(where));
  let attempts = 0;
  let last: { exitCode: number } | { error: ShipError } | null = null;
  let connection = 0;
  let pendingReplays = 0;
  let isReady = false;

  const receive = (bytes: Uint8Array, isReplay: boolean) => {
    const own = connection;
    if (isReplay) pendingReplays += 1;
    display.write(bytes, () => {
      if (isReplay) pendingReplays -= 1;
      // Bytes from an earlier connection do not count on this one.
      if (own === connection) acknowledge(bytes.length);
    });
  };

  let renderedBytes = 0;
  const acknowledge = (bytes: number) => {
    renderedBytes += bytes;
    if (renderedBytes < TERMINAL_ACK_BYTES) return;
    send({ type: 'ack', bytes: renderedBytes });
    renderedBytes = 0;
  };

  let isReplayNext = false;
  const socket = keepConnected({
    path: () => {
      const { cols, rows } = display.size();
      // Only the first connection, opened by a person, may resume a sandbox; reconnects must not resume one that was paused.
      const wake = attempts++ === 0 ? 'yes' : 'no';
      return `/api/sessions/${sessionId}/terminals/${name}?cols=${cols}&rows=${rows}&wake=${wake}`;
    },
    open: (path) => {
      connection += 1;
      renderedBytes = 0;
      isReplayNext = false;
      last = null;
      isReady = false;
      const opened = openSocket(path);
      const own = connection;
      opened.binaryType = 'arraybuffer';
      opened.addEventListener('message', ({ data }) => {
        if (!(data instanceof ArrayBuffer) || own !== connection) return;
        receive(new Uint8Array(data), isReplayNext);
        isReplayNext = false;
      });
      return opened;
    },
    onMessage: (received) => {
      const message = TerminalServerMessage.safeParse(received);
      if (!message.success) return false;
      const { data } = message;
      if (data.type === 'ready') {
        isReady = true;
        onView({ status: 'open' });
        // The size may have changed while disconnected.
        send({ type: 'resize', ...display.size() });
      }
      if (data.type === 'ready' && data.hasTail) display.reset();
      if (data.type === 'replay') isReplayNext = data.bytes > 0;
      if (data.type === 'exit') last = { exitCode: data.exitCode };
      if (data.type === 'error') last = { error: data.error };
      return data.type === 'ready';
    },
    onState: (state) => {
      if (state !== 'open') isReady = false;
      if (state === 'connecting' || state === 'waiting') onView({ status: state });
      if (state !== 'ended') return;
      if (last !== null && 'exitCode' in last) onView({ status: 'ended', exitCode: last.exitCode });
      else onView({ status: 'refused', error: last?.error ?? null });
    },
    isFinal: (code) => finalCodes.has(code),
  });

  /** Drops the message before the shell is ready and while disconnected. */
  const send = (message: TerminalClientMessage) => {
    if (isReady) socket.send(message);
  };

  return {
    /** Ignores the terminal's replies to a replay: it replied when the output was new. */
    type(data: string) {
      if (pendingReplays > 0) return;
      for (let at = 0; at < data.length; at += MAX_INPUT_CHARACTERS)
        send({ type: 'input', data: data.slice(at, at + MAX_INPUT_CHARACTERS) });
    },
    resize: (size: { readonly cols: number; readonly rows: number }) =>
      send({ type: 'resize', ...size }),
    reconnectNow: () => socket.reconnectNow(),
    close: () => {
      connection += 1;
      socket.close();
    },
  };
}
