import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionId } from '@ship/protocol';
import type { Answer, Api } from '../harness/api.ts';
import { between } from '../../../../scripts/testing/random.ts';

/** One command of the client. The log contains `mark` once for each time that the command took effect. */
export interface Sent {
  requestId: string;
  method: string;
  path: string;
  body: { requestId: string; text?: string; title?: string };
  mark: string;
  /** Undefined when the client never received a receipt. */
  seq: number | undefined;
}

/** Keeps the queue below its limit, so that no prompt is refused. */
const MAX_WAITING = 60;

/** Sends one command after the other. Repeats a command without a response with the same id, or abandons it. */
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
      // Not counted: the deletion only makes room in the queue.
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
    // Some clients give up: their command may have taken effect or not, but never twice.
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
        // A dying process may still return an error: that is no receipt.
        if (answer.status < 500) return answer;
      } catch {
        // The process was killed.
      }
      if (!mayRepeat) return undefined;
      this.repeated += 1;
      await sleep(20);
    }
  }
}
