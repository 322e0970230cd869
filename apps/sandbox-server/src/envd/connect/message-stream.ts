/** The messages of a streaming response. */
import type { ServerResponse } from 'node:http';
import { encodeFrame } from './envelope.ts';

/** Buffered frames are flushed beyond this size: corking is for the little output of a short command. */
const MAX_BUFFERED_BYTES = 16 * 1024;

export interface MessageStream {
  /** Resolves when there is room for the next message; false once the client has disconnected. */
  send(message: unknown): Promise<boolean>;
  /**
   * Buffers messages for this time and sends them together, including the end if it comes by then. Every packet wakes the
   * server and its client, which compete for the CPU with the very command that they wait for.
   */
  cork(ms: number): void;
  /** Resolves when the client disconnects, or has received everything. */
  readonly closed: Promise<void>;
  readonly isClosed: boolean;
}

export class StreamResponse implements MessageStream {
  readonly closed: Promise<void>;
  readonly #response: ServerResponse;
  #isClosed = false;
  #buffered: Buffer[] = [];
  #bufferedBytes = 0;
  #corkTimer: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
    this.closed = new Promise((resolve) => {
      response.once('close', () => {
        this.#isClosed = true;
        clearTimeout(this.#corkTimer);
        resolve();
      });
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  cork(ms: number): void {
    this.#corkTimer ??= setTimeout(() => void this.#flush(), ms);
  }

  async send(message: unknown): Promise<boolean> {
    if (this.#isClosed) return false;
    const frame = encodeFrame(message);
    if (this.#corkTimer === undefined) return await this.#write(frame);
    this.#buffered.push(frame);
    this.#bufferedBytes += frame.length;
    return this.#bufferedBytes < MAX_BUFFERED_BYTES || (await this.#flush());
  }

  end(message: unknown): void {
    if (this.#isClosed) return;
    this.#begin();
    this.#response.end(this.#takeBuffered(encodeFrame(message, true)));
  }

  #flush(): Promise<boolean> {
    const buffered = this.#takeBuffered();
    return buffered.length === 0 ? Promise.resolve(true) : this.#write(buffered);
  }

  /** Takes all buffered frames and uncorks. */
  #takeBuffered(...more: Buffer[]): Buffer {
    const buffered = Buffer.concat([...this.#buffered, ...more]);
    clearTimeout(this.#corkTimer);
    this.#corkTimer = undefined;
    this.#buffered = [];
    this.#bufferedBytes = 0;
    return buffered;
  }

  #begin(): void {
    if (!this.#response.headersSent)
      this.#response.writeHead(200, { 'content-type': 'application/connect+json' });
  }

  async #write(bytes: Buffer): Promise<boolean> {
    this.#begin();
    const response = this.#response;
    if (response.write(bytes)) return true;
    return await new Promise((resolve) => {
      const done = () => {
        response.off('drain', done);
        response.off('close', done);
        resolve(!this.#isClosed);
      };
      response.once('drain', done);
      // A client that disconnects during a flood would otherwise block the sender forever.
      response.once('close', done);
    });
  }
}
