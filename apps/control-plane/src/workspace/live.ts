import {
  type LiveMessage,
  type NumberedChange,
  PING,
  PONG,
  PROTOCOL_VERSION,
  type WorkspaceId,
  fail,
} from '@ship/protocol';
import type { Credential } from '../platform/credential.ts';
import { closeSocket, sendText } from '../platform/socket.ts';
import type { ChangeLog } from './change-log.ts';

const MAX_WATCHERS = 2000;
/** Limits the size of a message. */
const CHANGES_PER_MESSAGE = 100;

/** WebSockets of lists and boards. They survive hibernation, so their state is not kept in memory. */
export class LiveSockets {
  readonly #ctx: DurableObjectState;
  readonly #changes: ChangeLog;

  constructor(ctx: DurableObjectState, changes: ChangeLog) {
    this.#ctx = ctx;
    this.#changes = changes;
    // The platform answers pings, so that they do not wake the object.
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
  }

  count(): number {
    return this.#ctx.getWebSockets().length;
  }

  /** The socket closes when the first of its opener's credentials ends. */
  accept(
    workspaceId: WorkspaceId,
    after: number | undefined,
    credentials: readonly Credential[],
  ): WebSocket {
    if (this.count() >= MAX_WATCHERS) {
      fail('rate-limited', 'Too many clients are watching.', 'Close some tabs, or wait a moment.');
    }
    const { 0: client, 1: server } = new WebSocketPair();
    this.#ctx.acceptWebSocket(server, [...credentials]);
    const version = this.#changes.newest();
    send(server, { type: 'hello', protocolVersion: PROTOCOL_VERSION, workspaceId, version });
    const missed = after === undefined ? [] : this.#changes.since(after);
    if (missed === undefined) send(server, { type: 'reset', version });
    else sendChanges([server], missed);
    return client;
  }

  push(changes: readonly NumberedChange[]): void {
    if (changes.length > 0) sendChanges(this.#ctx.getWebSockets(), changes);
  }

  closeByCredential(credential: Credential): void {
    for (const socket of this.#ctx.getWebSockets(credential)) closeSocket(socket, 'sign-in');
  }
}

function sendChanges(sockets: WebSocket[], changes: readonly NumberedChange[]): void {
  for (let start = 0; start < changes.length; start += CHANGES_PER_MESSAGE) {
    const page = changes.slice(start, start + CHANGES_PER_MESSAGE);
    const text = JSON.stringify({ type: 'changes', changes: page } satisfies LiveMessage);
    for (const socket of sockets) sendText(socket, text);
  }
}

function send(socket: WebSocket, message: LiveMessage): void {
  sendText(socket, JSON.stringify(message));
}
