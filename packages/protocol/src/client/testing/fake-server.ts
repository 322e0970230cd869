import type { DurableEnvelope } from '../../events/envelope.ts';
import { createId } from '../../ids.ts';
import { ClientMessage, PING, PONG } from '../../socket.ts';
import { PROTOCOL_VERSION } from '../../version.ts';
import type { SocketLike } from '../socket-link.ts';
import type { ManualClock } from './manual-clock.ts';

type Listener = (event: { data?: unknown; code?: number }) => void;

/** Network faults: a delay, and what happens to the server's next messages. */
export interface NetworkFaults {
  delayMs: number;
  next: ('keep' | 'drop' | 'twice' | 'damage')[];
}

const PAGE_EVENTS = 7;

/** A session's server behind an unreliable network that a test controls. It uses no real time and no real sockets. */
export class FakeServer {
  readonly sessionId = createId('ses');
  readonly network: NetworkFaults = { delayMs: 0, next: [] };
  readonly urls: string[] = [];
  readonly pings: number[] = [];
  readonly replays: number[] = [];
  protocolVersion: number = PROTOCOL_VERSION;
  /** How the next connections are accepted. */
  accepts: 'all' | 'none' | 'silently' = 'all';
  log: DurableEnvelope[] = [];
  #sockets = new Set<FakeSocket>();
  readonly #clock: ManualClock;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  readonly open = (url: string): SocketLike => {
    this.urls.push(url);
    const socket = new FakeSocket(this, this.#clock);
    if (this.accepts === 'none') this.#clock.after(0, () => socket.ended(1006));
    if (this.accepts === 'all') this.#clock.after(0, () => this.#greet(socket, url));
    return socket;
  };

  append(count: number): void {
    const events = Array.from({ length: count }, (_, i) => ({
      seq: this.log.length + i + 1,
      at: this.#clock.now(),
      type: 'session.renamed',
      version: 1,
      data: { title: `title ${this.log.length + i + 1}` },
    }));
    this.log.push(...events);
    const upTo = this.log.length;
    for (const socket of this.#sockets)
      if (socket.isLive) socket.push({ type: 'page', events, upTo, newestSeq: upTo });
  }

  broadcast(message: unknown): void {
    for (const socket of this.#sockets) socket.push(message);
  }

  connections(): number {
    return this.#sockets.size;
  }

  endAll(code: number): void {
    for (const socket of this.#sockets) socket.ended(code);
  }

  /** Drops all traffic without closing the sockets. */
  cutCables(): void {
    for (const socket of this.#sockets) socket.isCut = true;
  }

  receive(socket: FakeSocket, text: string): void {
    if (text === PING) {
      this.pings.push(this.#clock.now());
      return socket.deliver(PONG);
    }
    const { after } = ClientMessage.parse(JSON.parse(text));
    this.replays.push(after);
    this.#replay(socket, after);
  }

  forget(socket: FakeSocket): void {
    this.#sockets.delete(socket);
  }

  #greet(socket: FakeSocket, url: string): void {
    if (socket.isOver) return;
    this.#sockets.add(socket);
    socket.push({
      type: 'hello',
      protocolVersion: this.protocolVersion,
      sessionId: this.sessionId,
      newestSeq: this.log.length,
    });
    this.#replay(socket, Number(new URL(url).searchParams.get('after')));
  }

  #replay(socket: FakeSocket, after: number): void {
    const events = this.log.slice(after, after + PAGE_EVENTS);
    const upTo = events.at(-1)?.seq ?? after;
    const newestSeq = this.log.length;
    socket.isLive = upTo >= newestSeq;
    socket.push({ type: 'page', events, upTo, newestSeq });
  }
}

class FakeSocket implements SocketLike {
  isLive = false;
  isOver = false;
  isCut = false;
  readonly #server: FakeServer;
  readonly #clock: ManualClock;
  readonly #listeners: Record<string, Listener[]> = {};
  #deliverAt = 0;

  constructor(server: FakeServer, clock: ManualClock) {
    this.#server = server;
    this.#clock = clock;
  }

  addEventListener(type: string, listener: Listener): void {
    (this.#listeners[type] ??= []).push(listener);
  }

  send(text: string): void {
    if (!this.isOver && !this.isCut)
      this.#clock.after(this.#server.network.delayMs, () => {
        if (!this.isOver && !this.isCut) this.#server.receive(this, text);
      });
  }

  close(): void {
    this.isOver = true;
    this.#server.forget(this);
  }

  ended(code: number): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#server.forget(this);
    if (!this.isCut) this.#fire('close', { code });
  }

  push(message: unknown): void {
    const text = JSON.stringify(message);
    const fault = this.#server.network.next.shift();
    if (fault === 'drop') return;
    this.deliver(fault === 'damage' ? text.slice(0, -2) : text);
    if (fault === 'twice') this.deliver(text);
  }

  /** Delivers with a delay, but in order, as every connection does. */
  deliver(text: string): void {
    this.#deliverAt = Math.max(this.#deliverAt, this.#clock.now() + this.#server.network.delayMs);
    this.#clock.after(this.#deliverAt - this.#clock.now(), () => {
      if (!this.isOver && !this.isCut) this.#fire('message', { data: text });
    });
  }

  #fire(type: string, event: { data?: unknown; code?: number }): void {
    for (const listener of this.#listeners[type] ?? []) listener(event);
  }
}
