/**
 * A client that watches a session over a connection that may break at any time, folds the events, and records every gap
 * and repetition. It uses only the protocol, none of the server's code.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { evolve } from '@ship/core';
import {
  type DurableEnvelope,
  ServerMessage,
  type SessionId,
  type SessionState,
} from '@ship/protocol';

const RECONNECT_DELAY_MS = 30;

interface Where {
  url: string;
  token: string;
  sessionId: SessionId;
}

export class Follower {
  state: SessionState | undefined;
  readonly events: DurableEnvelope[] = [];
  readonly faults: string[] = [];
  presence: string[] = [];
  connections = 0;
  hellos = 0;
  isLive = false;
  /** Called with each event as it arrives. */
  onEvent: ((event: DurableEnvelope) => void) | undefined;
  readonly #where: Where;
  readonly #ended = new AbortController();
  #running: Promise<void>;

  constructor(where: Where, transport: 'socket' | 'stream') {
    this.#where = where;
    this.#running = this.#keepWatching(
      transport === 'socket' ? () => this.#socket() : () => this.#stream(),
    );
  }

  get seq(): number {
    return this.events.at(-1)?.seq ?? 0;
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await this.#running;
  }

  async #keepWatching(connect: () => Promise<void>): Promise<void> {
    while (!this.#ended.signal.aborted) {
      this.connections += 1;
      await connect().catch(() => undefined);
      this.isLive = false;
      if (!this.#ended.signal.aborted) await sleep(RECONNECT_DELAY_MS);
    }
  }

  #address(kind: 'socket' | 'events'): string {
    const { url, sessionId } = this.#where;
    return `${url}/api/sessions/${sessionId}/${kind}?after=${this.seq}&protocol=1`;
  }

  #socket(): Promise<void> {
    return new Promise((resolve) => {
      const headers = { authorization: `Bearer ${this.#where.token}` };
      const address = this.#address('socket').replace(/^http/, 'ws');
      // Node's own WebSocket takes headers; the browser's type does not know them.
      const socket = new WebSocket(address, { headers } as never);
      const end = () => socket.close();
      this.#ended.signal.addEventListener('abort', end);
      socket.addEventListener('message', ({ data }) => {
        const more = this.#receive(String(data));
        if (more !== undefined && socket.readyState === WebSocket.OPEN) socket.send(more);
      });
      socket.addEventListener('error', () => resolve());
      socket.addEventListener('close', () => {
        this.#ended.signal.removeEventListener('abort', end);
        resolve();
      });
    });
  }

  async #stream(): Promise<void> {
    const response = await fetch(this.#address('events'), {
      headers: {
        authorization: `Bearer ${this.#where.token}`,
        ...(this.seq > 0 && { 'last-event-id': String(this.seq) }),
      },
      signal: this.#ended.signal,
    });
    if (!response.ok || response.body === null) return;
    let text = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data !== undefined) this.#receive(data);
      }
    }
  }

  /** Returns the reply to send, if any. */
  #receive(text: string): string | undefined {
    const message = ServerMessage.parse(JSON.parse(text));
    switch (message.type) {
      case 'hello':
        this.hellos += 1;
        if (message.newestSeq < this.seq)
          this.faults.push(`the log ends at ${message.newestSeq}, ${this.seq} was seen`);
        return undefined;
      case 'page':
        for (const event of message.events) this.#take(event);
        this.isLive = message.upTo >= message.newestSeq;
        return this.isLive ? undefined : JSON.stringify({ type: 'replay', after: this.seq });
      case 'presence':
        this.presence = message.watchers;
        return undefined;
      default:
        return undefined;
    }
  }

  #take(event: DurableEnvelope): void {
    if (event.seq !== this.seq + 1)
      this.faults.push(`event ${event.seq} came after event ${this.seq}`);
    this.events.push(event);
    this.state = evolve(this.state, event);
    this.onEvent?.(event);
  }
}
