import { ClientMessage, type CloseReason, PING, PONG, type SessionId } from '@ship/protocol';
import type { Credential } from '../platform/credential.ts';
import { closeSocket, sendText } from '../platform/socket.ts';
import type { EventLog } from './event-log.ts';
import { helloText, replayText } from './messages.ts';
import type { WatchRequest } from './watch-request.ts';

/** Stored with a socket while the object hibernates. */
interface Attachment {
  name: string;
  credentials: readonly Credential[];
  /** It has everything: new events are pushed to it. Until then it pulls. */
  isLive: boolean;
}

const MESSAGES_PER_WINDOW = 200;
const WINDOW_MS = 10_000;

/** The WebSockets of a session. They outlive the object's hibernation, so none of their state lives only in memory. */
export class SessionSockets {
  readonly #ctx: DurableObjectState;
  readonly #log: EventLog;
  readonly #newestSeq: () => number;
  readonly #streaming: () => string | undefined;
  readonly #attachments = new WeakMap<WebSocket, Attachment>();
  /** A cache: listing hundreds of sockets costs more than sending to them. Undefined after a socket came or went. */
  #open: readonly WebSocket[] | undefined;
  readonly #pulls = new WeakMap<WebSocket, { since: number; count: number }>();

  constructor(
    ctx: DurableObjectState,
    log: EventLog,
    newestSeq: () => number,
    streaming: () => string | undefined,
  ) {
    this.#ctx = ctx;
    this.#log = log;
    this.#newestSeq = newestSeq;
    this.#streaming = streaming;
    // The platform answers pings: they do not wake the object.
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
  }

  accept(sessionId: SessionId, { name, after, credentials }: WatchRequest) {
    const { 0: client, 1: server } = new WebSocketPair();
    this.#ctx.acceptWebSocket(server);
    this.#open = undefined;
    this.#attach(server, { name, credentials, isLive: false });
    sendText(server, helloText(sessionId, this.#newestSeq()));
    if (after !== undefined) this.#replay(server, after);
    return { client, server };
  }

  /** Without an answer to its close frame, the client would wait for one forever. */
  answerClose(socket: WebSocket): void {
    this.#open = undefined;
    try {
      socket.close(1000);
    } catch {
      // The socket is already gone.
    }
  }

  /** The client pulls the next page; after the newest one it is up to date, and new events are pushed to it. */
  receive(socket: WebSocket, message: string | ArrayBuffer): void {
    const parsed = ClientMessage.safeParse(readJson(message));
    if (!parsed.success) this.#end(socket, 'bad-message');
    else if (this.#pullsTooOften(socket)) this.#end(socket, 'slow-down');
    else this.#replay(socket, parsed.data.after);
  }

  /** To sockets that have everything before it. */
  push(text: string): void {
    for (const socket of this.#all()) if (this.#attachment(socket).isLive) sendText(socket, text);
  }

  /** To all sockets: for messages outside the log. */
  broadcast(text: string): void {
    for (const socket of this.#all()) sendText(socket, text);
  }

  names(): string[] {
    return this.#all().map((socket) => this.#attachment(socket).name);
  }

  credentials(): Credential[] {
    return this.#all().flatMap((socket) => this.#attachment(socket).credentials);
  }

  endWithCredentials(ended: ReadonlySet<Credential>): void {
    for (const socket of this.#all())
      if (this.#attachment(socket).credentials.some((each) => ended.has(each)))
        this.#end(socket, 'sign-in');
  }

  endAll(): void {
    for (const socket of this.#all()) this.#end(socket, 'session-gone');
  }

  count(): number {
    return this.#all().length;
  }

  #all(): readonly WebSocket[] {
    return (this.#open ??= this.#ctx
      .getWebSockets()
      .filter(({ readyState }) => readyState === WebSocket.OPEN));
  }

  #replay(socket: WebSocket, after: number): void {
    const newestSeq = this.#newestSeq();
    const { text, upTo } = replayText(this.#log, after, newestSeq);
    sendText(socket, text);
    const known = this.#attachment(socket);
    const isLive = upTo >= newestSeq;
    if (isLive === known.isLive) return;
    this.#attach(socket, { ...known, isLive });
    const streaming = isLive ? this.#streaming() : undefined;
    if (streaming !== undefined) sendText(socket, streaming);
  }

  #end(socket: WebSocket, reason: CloseReason): void {
    this.#open = undefined;
    closeSocket(socket, reason);
  }

  #pullsTooOften(socket: WebSocket): boolean {
    const nowMs = Date.now();
    const known = this.#pulls.get(socket);
    const current =
      known === undefined || nowMs - known.since > WINDOW_MS ? { since: nowMs, count: 0 } : known;
    current.count += 1;
    this.#pulls.set(socket, current);
    return current.count > MESSAGES_PER_WINDOW;
  }

  #attach(socket: WebSocket, attachment: Attachment): void {
    socket.serializeAttachment(attachment);
    this.#attachments.set(socket, attachment);
  }

  #attachment(socket: WebSocket): Attachment {
    const known = this.#attachments.get(socket);
    if (known !== undefined) return known;
    // Only `#attach` writes attachments.
    const stored = socket.deserializeAttachment() as Attachment;
    this.#attachments.set(socket, stored);
    return stored;
  }
}

function readJson(message: string | ArrayBuffer): unknown {
  try {
    return typeof message === 'string' ? (JSON.parse(message) as unknown) : undefined;
  } catch {
    return undefined;
  }
}
