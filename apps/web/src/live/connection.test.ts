import { CLOSE_CODES, createId } from '@ship/protocol';
import type { WorkspaceChange } from '@ship/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { followWorkspace } from './connection.ts';
import type { Socket } from './reconnecting-socket.ts';

const workspaceId = createId('wsp');

class FakeSocket implements Socket {
  readonly path: string;
  readonly sent: string[] = [];
  readonly #listeners = new Map<string, ((event: { data: unknown; code: number }) => void)[]>();

  constructor(path: string) {
    this.path = path;
  }
  addEventListener(type: string, listener: (event: { data: unknown; code: number }) => void) {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }
  send(text: string) {
    this.sent.push(text);
  }
  close() {
    this.emit('close');
  }
  emit(type: string, data?: unknown, code = 1006) {
    this.#listeners.get(type)?.forEach((listener) => listener({ data, code }));
  }
  receive(message: unknown) {
    this.emit('message', JSON.stringify(message));
  }
}

function follow() {
  const sockets: FakeSocket[] = [];
  const changes: WorkspaceChange[] = [];
  let reloads = 0;
  const connection = followWorkspace({
    open: (path) => {
      const socket = new FakeSocket(path);
      sockets.push(socket);
      return socket;
    },
    onChange: (change) => changes.push(change),
    onReload: () => (reloads += 1),
    random: () => 1,
  });
  const newest = () => sockets.at(-1) ?? expect.fail('no socket was opened');
  return { connection, sockets, newest, changes, reloads: () => reloads };
}

const hello = (version: number) => ({ type: 'hello', protocolVersion: 1, workspaceId, version });
const reordered = (version: number) => ({
  type: 'changes',
  changes: [{ version, change: { type: 'board.reordered' } }],
});

describe('followWorkspace', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('[WB1] reconnects after its last version and reports each change once', () => {
    const { connection, sockets, newest, changes, reloads } = follow();
    newest().receive(hello(4));
    newest().receive(reordered(5));
    expect([changes.length, reloads()]).toEqual([1, 1]);
    newest().emit('close');
    vi.advanceTimersByTime(500);
    expect(sockets.map(({ path }) => path)).toEqual(['/api/live', '/api/live?after=5']);
    newest().receive(hello(6));
    newest().receive(reordered(6));
    expect([changes.length, reloads()]).toEqual([2, 1]);
    connection.close();
    vi.advanceTimersByTime(60_000);
    expect(sockets).toHaveLength(2);
  });

  it('waits longer to reconnect after a sign-in close', () => {
    const { connection, sockets, newest } = follow();
    newest().emit('close', undefined, CLOSE_CODES['sign-in']);
    vi.advanceTimersByTime(2900);
    expect(sockets).toHaveLength(1);
    vi.advanceTimersByTime(2000);
    expect(sockets).toHaveLength(2);
    connection.close();
  });

  it('closes a silent connection', () => {
    const { connection, sockets, newest } = follow();
    newest().emit('open');
    vi.advanceTimersByTime(60_000);
    expect(newest().sent).toEqual(['ping', 'ping']);
    vi.advanceTimersByTime(40_000);
    expect(sockets.length).toBeGreaterThan(1);
    connection.close();
  });

  it('ignores invalid messages', () => {
    const { connection, newest, changes } = follow();
    newest().receive(hello(1));
    newest().emit('message', '{');
    newest().receive({ type: 'levitate' });
    expect(changes).toEqual([]);
    connection.close();
  });
});
