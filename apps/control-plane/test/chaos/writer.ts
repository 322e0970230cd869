import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionId } from '@ship/protocol';
import type { Answer, Api } from '../harness/api.ts';
import { between } from '../../../../scripts/testing/random.ts';

/** One command as the client remembers it. `mark` is in the log once for each time that it took effect. */
export interface Sent {
  requestId: string;
  method: string;
  path: string;
  body: { requestId: string; text?: string; title?: string };
  mark: string;
  /** Undefined: the client never learnt what became of it. */
  seq: number | undefined;
}

/** One at a time, so that none waits for its answer while the others fill the queue. */
const MAX_WAITING = 60;

/** Sends commands without pause. What gets no answer is asked again with the same id, or given up. */
export class Writer {
  readonly sent: Sent[] = [];
  refused = 0;
  repeated = 0;
  readonly #api: Api;
  readonly #sessionId: SessionId;
  readonly #random: () => number;
  readonly #name: string;
  readonly #waiting: string[] = [];
  #isOver = false;
  #running: Promise<void>;

  constructor(api: Api, sessionId: SessionId, random: () => number, name: string) {
    this.#api = api;
    this.#sessionId = sessionId;
    this.#random = random;
    this.#name = name;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let count = 0; !this.#isOver; count++) {
      await this.#send(`${this.#name}-${count}`);
      await sleep(between(this.#random, 0, 8));
    }
  }

  async #send(mark: string): Promise<void> {
    const requestId = `chaos-${mark}`;
    const path = `/sessions/${this.#sessionId}`;
    const withdrawn = this.#waiting.length > MAX_WAITING ? this.#waiting.shift() : undefined;
    if (withdrawn !== undefined) {
      // No part of the count: it only makes room.
      const query = new URLSearchParams({ requestId }).toString();
      await this.#ask('DELETE', `${path}/prompts/${withdrawn}?${query}`, undefined, true);
      return;
    }
    const known = { requestId, mark, seq: undefined };
    const sent: Sent =
      this.#random() < 0.5
        ? { ...known, method: 'POST', path: `${path}/prompts`, body: { requestId, text: mark } }
        : { ...known, method: 'PATCH', path, body: { requestId, title: mark } };
    this.sent.push(sent);
    // Some clients give up: what they sent may have happened or not, but never twice.
    const answer = await this.#ask(sent.method, sent.path, sent.body, this.#random() < 0.8);
    if (answer === undefined) return;
    if (answer.status >= 300) {
      this.refused += 1;
      return;
    }
    const receipt = answer.json as { seq: number; promptId?: string };
    sent.seq = receipt.seq;
    if (receipt.promptId !== undefined) this.#waiting.push(receipt.promptId);
  }

  async #ask(
    method: string,
    path: string,
    body: unknown,
    mayRepeat: boolean,
  ): Promise<Answer | undefined> {
    for (;;) {
      try {
        const answer = await this.#api.call(method, path, body);
        // A process that is dying may still say that it failed: that is no answer to the command.
        if (answer.status < 500) return answer;
      } catch {
        // Killed under us.
      }
      if (!mayRepeat) return undefined;
      this.repeated += 1;
      await sleep(20);
    }
  }
}
