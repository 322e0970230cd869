import type { SessionId } from '@ship/protocol';
import type { Credential } from '../platform/credential.ts';
import type { EventLog } from './event-log.ts';
import { helloText, replayText } from './messages.ts';
import type { WatchRequest } from './watch-request.ts';

const HEARTBEAT_MS = 5_000;
/** A reader that is this far behind is disconnected; it reconnects with `Last-Event-ID` and misses nothing. */
const MAX_PENDING_CHARS = 4_000_000;

interface Stream {
  name: string;
  credentials: readonly Credential[];
  isLive: boolean;
  pendingChars: number;
  writer: WritableStreamDefaultWriter<Uint8Array>;
}

/** The session as server-sent events, for clients without WebSockets. The id of a message is its last seq. */
export class EventStreams {
  readonly #log: EventLog;
  readonly #newestSeq: () => number;
  readonly #streaming: () => string | undefined;
  readonly #onChange: (sendToNew?: (text: string) => void) => void;
  readonly #flushBatch: () => void;
  readonly #streams = new Set<Stream>();
  #heartbeat: ReturnType<typeof setInterval> | undefined;

  constructor(
    log: EventLog,
    newestSeq: () => number,
    streaming: () => string | undefined,
    onChange: (sendToNew?: (text: string) => void) => void,
    flushBatch: () => void,
  ) {
    this.#log = log;
    this.#newestSeq = newestSeq;
    this.#streaming = streaming;
    this.#onChange = onChange;
    this.#flushBatch = flushBatch;
  }

  open(sessionId: SessionId, watch: WatchRequest, gone: AbortSignal): Response {
    const { name, after, credentials } = watch;
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const stream: Stream = {
      name,
      credentials,
      isLive: false,
      pendingChars: 0,
      writer: writable.getWriter(),
    };
    // A reader that leaves shows up as failing writes.
    stream.writer.closed.catch(() => undefined);
    this.#streams.add(stream);
    this.#heartbeat ??= setInterval(() => this.#beat(), HEARTBEAT_MS);
    gone.addEventListener('abort', () => this.#drop(stream));
    void this.#begin(stream, sessionId, after ?? this.#newestSeq());
    return new Response(readable, {
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      },
    });
  }

  push(text: string, upTo: number): void {
    for (const stream of this.#streams)
      if (stream.isLive) void this.#write(stream, eventText('page', text, upTo));
  }

  broadcast(type: 'live' | 'presence', text: string): void {
    for (const stream of this.#streams)
      if (stream.isLive) void this.#write(stream, eventText(type, text));
  }

  names(): string[] {
    return [...this.#streams].map(({ name }) => name);
  }

  credentials(): Credential[] {
    return [...this.#streams].flatMap((stream) => stream.credentials);
  }

  endWithCredentials(ended: ReadonlySet<Credential>): void {
    for (const stream of this.#streams)
      if (stream.credentials.some((each) => ended.has(each))) this.#drop(stream);
  }

  endAll(): void {
    for (const stream of this.#streams) this.#drop(stream);
  }

  count(): number {
    return this.#streams.size;
  }

  /** Sends page by page, each after the one before has left: a slow reader of a long log takes no memory. */
  async #begin(stream: Stream, sessionId: SessionId, from: number): Promise<void> {
    await this.#write(stream, eventText('hello', helloText(sessionId, this.#newestSeq())));
    let after = from;
    while (this.#streams.has(stream) && after < this.#newestSeq()) {
      const { text, upTo } = replayText(this.#log, after, this.#newestSeq());
      if (upTo === after) break;
      after = upTo;
      await this.#write(stream, eventText('page', text, upTo));
    }
    // Everything in the batcher is in the log already, and reaches this stream from there.
    this.#flushBatch();
    stream.isLive = true;
    // Events stored between the last write and now were not pushed to this stream.
    if (after < this.#newestSeq()) {
      const { text, upTo } = replayText(this.#log, after, this.#newestSeq());
      void this.#write(stream, eventText('page', text, upTo));
    }
    const streaming = this.#streaming();
    if (streaming !== undefined) void this.#write(stream, eventText('live', streaming));
    this.#onChange((text) => void this.#write(stream, eventText('presence', text)));
  }

  async #write(stream: Stream, text: string): Promise<void> {
    if (!this.#streams.has(stream)) return;
    stream.pendingChars += text.length;
    if (stream.pendingChars > MAX_PENDING_CHARS) return this.#drop(stream);
    try {
      await stream.writer.write(new TextEncoder().encode(text));
      stream.pendingChars -= text.length;
    } catch {
      this.#drop(stream);
    }
  }

  #beat(): void {
    for (const stream of this.#streams) void this.#write(stream, ': still here\n\n');
  }

  #drop(stream: Stream): void {
    if (!this.#streams.delete(stream)) return;
    stream.writer.abort().catch(() => undefined);
    if (this.#streams.size === 0) {
      if (this.#heartbeat !== undefined) clearInterval(this.#heartbeat);
      this.#heartbeat = undefined;
    }
    this.#onChange();
  }
}

function eventText(type: string, data: string, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${data}\n\n`;
}
