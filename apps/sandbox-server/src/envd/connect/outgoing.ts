/** The messages of an answer that is a stream. */
import type { ServerResponse } from 'node:http';
import { encodeFrame } from './envelope.ts';

/** What is held is written at once when it grows past this: holding is for the few words of a short command. */
const MAX_HELD_BYTES = 16 * 1024;

export interface Outgoing {
  /** Resolves when there is room for the next message; false once the client has gone. */
  send(message: unknown): Promise<boolean>;
  /**
   * What is sent within this time goes out together, with the end if it comes by then. Every packet wakes the server and
   * its client, which take the processor from the very command that they wait for.
   */
  hold(ms: number): void;
  /** Settles when the client goes away, or has got everything. */
  readonly gone: Promise<void>;
  readonly isGone: boolean;
}

export class StreamAnswer implements Outgoing {
  readonly gone: Promise<void>;
  readonly #response: ServerResponse;
  #isGone = false;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #holding: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
    this.gone = new Promise((resolve) => {
      response.once('close', () => {
        this.#isGone = true;
        clearTimeout(this.#holding);
        resolve();
      });
    });
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  hold(ms: number): void {
    this.#holding ??= setTimeout(() => void this.#release(), ms);
  }

  async send(message: unknown): Promise<boolean> {
    if (this.#isGone) return false;
    const frame = encodeFrame(message);
    if (this.#holding === undefined) return await this.#write(frame);
    this.#held.push(frame);
    this.#heldBytes += frame.length;
    return this.#heldBytes < MAX_HELD_BYTES || (await this.#release());
  }

  end(message: unknown): void {
    if (this.#isGone) return;
    this.#begin();
    this.#response.end(this.#taken(encodeFrame(message, true)));
  }

  #release(): Promise<boolean> {
    const held = this.#taken();
    return held.length === 0 ? Promise.resolve(true) : this.#write(held);
  }

  /** Ends the holding. */
  #taken(...more: Buffer[]): Buffer {
    const held = Buffer.concat([...this.#held, ...more]);
    clearTimeout(this.#holding);
    this.#holding = undefined;
    this.#held = [];
    this.#heldBytes = 0;
    return held;
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
        resolve(!this.#isGone);
      };
      response.once('drain', done);
      // A client that goes away in a flood would otherwise hold the sender for ever.
      response.once('close', done);
    });
  }
}
