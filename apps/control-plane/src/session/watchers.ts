import { type LiveEvent, type SessionId, fail } from '@ship/protocol';
import { BroadcastBatcher } from './broadcast-batcher.ts';
import type { StoredEvent } from './event-log.ts';
import { EventStreams } from './event-streams.ts';
import { StreamBuffer } from './stream-buffer.ts';
import { sendText } from '../platform/socket.ts';
import { liveText, pageText, presenceText } from './messages.ts';
import type { WorkspacePort } from './parts.ts';
import type { SessionStore } from './session-store.ts';
import { SessionSockets } from './sockets.ts';
import type { WatchRequest } from './watch-request.ts';

const MAX_WATCHERS = 2_000;
const MAX_NAMES = 50;
const REMEMBER_EVERY_MS = 20_000;
/** A revoked token and a signed-out browser stop watching within this time. */
const CREDENTIAL_CHECK_MS = 20_000;

/** All clients that watch the session, by socket or by stream: all get the same messages. */
export class Watchers {
  readonly #store: SessionStore;
  readonly #sockets: SessionSockets;
  readonly #streams: EventStreams;
  readonly #batcher = new BroadcastBatcher({
    stored: (events) => this.#sendStored(events),
    live: (events) => this.#sendLive(events),
  });
  readonly #live = new StreamBuffer();
  /** Not the time at which the object woke: an object that hibernates between two checks would never find one due. */
  #credentialsCheckedAt = 0;
  /** The presence that all clients were last sent. */
  #sentPresence: string | undefined;

  constructor(ctx: DurableObjectState, store: SessionStore) {
    const newestSeq = () => store.state?.seq ?? 0;
    this.#store = store;
    const streaming = () => this.#streaming();
    this.#sockets = new SessionSockets(ctx, store.log, newestSeq, streaming);
    this.#streams = new EventStreams(
      store.log,
      newestSeq,
      streaming,
      (tell) => this.changed(tell),
      () => this.#batcher.flush(),
    );
  }

  accept(sessionId: SessionId, request: WatchRequest, gone: AbortSignal): Response {
    if (this.count() >= MAX_WATCHERS)
      fail('rate-limited', 'Too many clients are watching.', 'Close some pages, or wait a moment.');
    this.#batcher.flush();
    if (request.kind === 'stream') {
      const response = this.#streams.open(sessionId, request, gone);
      this.changed();
      return response;
    }
    const { client, server } = this.#sockets.accept(sessionId, request);
    this.changed((text) => sendText(server, text));
    return new Response(null, { status: 101, webSocket: client });
  }

  receive(socket: WebSocket, message: string | ArrayBuffer): void {
    this.#batcher.flush();
    this.#sockets.receive(socket, message);
  }

  push(stored: readonly StoredEvent[]): void {
    this.#live.settle(stored);
    if (stored.length > 0 && this.count() > 0) this.#batcher.add(stored);
  }

  pushLive(events: readonly LiveEvent[]): void {
    this.#live.add(events);
    if (events.length > 0 && this.count() > 0) this.#batcher.addLive(events);
  }

  /** For a client that has just read the whole log: the text that is still streaming. */
  #streaming(): string | undefined {
    const events = this.#live.snapshot();
    return events.length === 0 ? undefined : liveText(events);
  }

  #sendStored(stored: readonly StoredEvent[]): void {
    const upTo = stored.at(-1)?.event.seq ?? 0;
    const text = pageText(
      stored.map((each) => each.text),
      upTo,
      upTo,
    );
    this.#sockets.push(text);
    this.#streams.push(text, upTo);
  }

  #sendLive(events: LiveEvent[]): void {
    const text = liveText(events);
    this.#sockets.push(text);
    this.#streams.broadcast('live', text);
  }

  /** A client came or went. The new client gets the presence; the others only if it changed. */
  changed(sendToNew?: (text: string) => void): void {
    this.#store.metadata.write('last-viewed-at', Date.now());
    const names = [...this.#sockets.names(), ...this.#streams.names()];
    const text = presenceText([...new Set(names)].sort().slice(0, MAX_NAMES));
    if (text !== this.#sentPresence) {
      this.#sentPresence = text;
      this.#sockets.broadcast(text);
      this.#streams.broadcast('presence', text);
    } else sendToNew?.(text);
  }

  left(socket: WebSocket): void {
    this.#sockets.answerClose(socket);
    this.changed();
  }

  /** After a crash no client is connected for a moment: the time before it must not count as idle. */
  remember(nowMs: number): void {
    const isOld = nowMs - this.#store.metadata.read('last-viewed-at') > REMEMBER_EVERY_MS;
    if (isOld && this.count() > 0) this.#store.metadata.write('last-viewed-at', nowMs);
  }

  count(): number {
    return this.#sockets.count() + this.#streams.count();
  }

  endAll(): void {
    this.#batcher.flush();
    this.#sockets.endAll();
    this.#streams.endAll();
  }

  nextCheckAt(): number | null {
    return this.#credentials().length === 0
      ? null
      : this.#credentialsCheckedAt + CREDENTIAL_CHECK_MS;
  }

  /** Disconnects clients whose credentials have ended. */
  async endRevoked(workspace: WorkspacePort): Promise<void> {
    const at = this.nextCheckAt();
    if (at === null || at > Date.now()) return;
    this.#credentialsCheckedAt = Date.now();
    const ended = new Set(await workspace.endedCredentials(this.#credentials()));
    this.#sockets.endWithCredentials(ended);
    this.#streams.endWithCredentials(ended);
  }

  #credentials() {
    return [...new Set([...this.#sockets.credentials(), ...this.#streams.credentials()])];
  }
}
