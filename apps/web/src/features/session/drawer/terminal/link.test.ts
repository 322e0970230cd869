import { CLOSE_CODES, TERMINAL_ACK_BYTES, TERMINAL_CLOSE_CODES, shipError } from '@ship/protocol';
import type { SessionId } from '@ship/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectTerminal } from './link.ts';
import type { LinkView } from './link.ts';
import { neighbour, nextName, sortedNames } from './tabs.ts';

type Listener = (event: { data: unknown; code: number }) => void;

class FakeSocket {
  binaryType: BinaryType = 'blob';
  readonly sent: unknown[] = [];
  readonly #listeners: { type: string; listener: Listener }[] = [];
  addEventListener(type: string, listener: unknown): void {
    this.#listeners.push({ type, listener: listener as Listener });
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  close(): void {}
  emit(type: string, event: { data?: unknown; code?: number } = {}): void {
    const full = { data: undefined, code: 0, ...event };
    for (const one of this.#listeners) if (one.type === type) one.listener(full);
  }
  says(message: unknown): void {
    this.emit('message', { data: JSON.stringify(message) });
  }
  output(length: number): void {
    this.emit('message', { data: new ArrayBuffer(length) });
  }
}

function connect() {
  const sockets: FakeSocket[] = [];
  const paths: string[] = [];
  const views: LinkView[] = [];
  const rendered: (() => void)[] = [];
  let resets = 0;
  const link = connectTerminal({
    sessionId: 'ses_1' as SessionId,
    name: 'shell-1',
    display: {
      size: () => ({ cols: 80, rows: 24 }),
      write: (_, onRendered) => rendered.push(onRendered),
      reset: () => (resets += 1),
    },
    onView: (view) => views.push(view),
    open: (path) => {
      paths.push(path);
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket;
    },
  });
  const ready = (hasTail: boolean) => {
    sockets.at(-1)?.emit('open');
    sockets.at(-1)?.says({ type: 'ready', isNew: !hasTail, hasTail });
  };
  return { link, sockets, paths, views, rendered, ready, resets: () => resets };
}

describe('terminal connection', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('[TM4] rendered bytes are acknowledged, only on the connection that sent them', () => {
    const { sockets, rendered, ready } = connect();
    ready(false);
    const [first] = sockets;
    first?.output(TERMINAL_ACK_BYTES - 1);
    first?.output(1);
    rendered[0]?.();
    expect(first?.sent).toEqual([{ type: 'resize', cols: 80, rows: 24 }]);
    rendered[1]?.();
    expect(first?.sent.at(-1)).toEqual({ type: 'ack', bytes: TERMINAL_ACK_BYTES });
    first?.output(2 * TERMINAL_ACK_BYTES);
    first?.emit('close', { code: 1006 });
    vi.advanceTimersByTime(60_000);
    ready(false);
    rendered[2]?.();
    expect(sockets[1]?.sent).toEqual([{ type: 'resize', cols: 80, rows: 24 }]);
  });

  it('[TM2] a replay starts on an empty screen, and its terminal queries get no reply', () => {
    const { link, sockets, rendered, ready, resets } = connect();
    ready(true);
    const [socket] = sockets;
    expect(resets()).toBe(1);
    socket?.says({ type: 'replay', bytes: 10 });
    socket?.output(10);
    link.type('\u001b[1;1R');
    expect(socket?.sent).toHaveLength(1);
    rendered[0]?.();
    link.type('a');
    expect(socket?.sent.at(-1)).toEqual({ type: 'input', data: 'a' });
  });

  it('[TM9] only the first connection resumes a sandbox; a refusal is final and has its reason', () => {
    const { sockets, paths, views, ready, link } = connect();
    ready(false);
    sockets[0]?.emit('close', { code: CLOSE_CODES['slow-down'] });
    expect(views.at(-1)).toEqual({ status: 'waiting' });
    link.type('lost');
    vi.advanceTimersByTime(60_000);
    expect(paths.map((path) => /wake=(\w+)/.exec(path)?.[1])).toEqual(['yes', 'no']);
    const error = shipError('sandbox-paused', 'It is paused.', 'Wake it.');
    sockets[1]?.says({ type: 'error', error });
    sockets[1]?.emit('close', { code: TERMINAL_CLOSE_CODES.refused });
    vi.advanceTimersByTime(60_000);
    expect(views.at(-1)).toEqual({ status: 'refused', error });
    expect(sockets).toHaveLength(2);
  });

  it('[TM6] an exit has its code', () => {
    const { sockets, views, ready } = connect();
    ready(false);
    sockets[0]?.says({ type: 'exit', exitCode: 3 });
    sockets[0]?.emit('close', { code: TERMINAL_CLOSE_CODES.ended });
    expect(views.at(-1)).toEqual({ status: 'ended', exitCode: 3 });
  });
});

describe('tabs', () => {
  it('names count up, fill gaps, and sort by number', () => {
    expect(nextName([])).toBe('shell-1');
    expect(nextName(['shell-1', 'shell-3'])).toBe('shell-2');
    expect(sortedNames(['shell-10', 'deploy', 'shell-2', 'shell-2'])).toEqual([
      'shell-2',
      'shell-10',
      'deploy',
    ]);
    expect(neighbour(['a', 'b', 'c'], 'b')).toBe('c');
    expect(neighbour(['a', 'b'], 'b')).toBe('a');
    expect(neighbour(['a'], 'a')).toBeUndefined();
  });
});
