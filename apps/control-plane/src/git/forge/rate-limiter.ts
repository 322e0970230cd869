import { type ForgeAnswer, afterForgeAnswer } from '@ship/core';
import { ShipFailure, shipError } from '@ship/protocol';

/** A longer wait is left to the session's alarm instead of a request that is held open. */
const MAX_WAIT_MS = 15_000;
/** GitHub asks for a second between requests that change something. */
const MUTATION_GAP_MS = 1_000;

export interface RateLimiterOptions {
  /** False for the local forge. */
  isPaced: boolean;
  sleep?: (ms: number) => Promise<void>;
  now?: () => number;
}

interface Outgoing {
  method?: string;
  url?: string;
}

/**
 * Rate limiting per session: sends one change at a time, spaced out, and waits when the forge asks for it. Octokit's own plugin
 * keeps its queues in module scope, where in Workers one object's request would wait on another's timer.
 */
export class RateLimiter {
  readonly #options: Required<RateLimiterOptions>;
  #lastChange: Promise<unknown> = Promise.resolve();
  #changedAt = 0;

  constructor({ isPaced, sleep = wait, now = Date.now }: RateLimiterOptions) {
    this.#options = { isPaced, sleep, now };
  }

  async run<T>(outgoing: Outgoing, send: () => Promise<T>): Promise<T> {
    // GraphQL is only used for changes here.
    const isRead = (outgoing.method ?? 'GET') === 'GET';
    if (isRead) return this.#sendWithRetry(send, true);
    const turn = this.#lastChange.then(async () => {
      const { isPaced, sleep, now } = this.#options;
      const gap = this.#changedAt + MUTATION_GAP_MS - now();
      if (isPaced && gap > 0) await sleep(gap);
      try {
        return await this.#sendWithRetry(send, false);
      } finally {
        this.#changedAt = now();
      }
    });
    this.#lastChange = turn.catch(() => undefined);
    return turn;
  }

  async #sendWithRetry<T>(send: () => Promise<T>, isRead: boolean): Promise<T> {
    const { sleep, now } = this.#options;
    let waitedMs = 0;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await send();
      } catch (error) {
        const verdict = afterForgeAnswer(answerOf(error), { attempt, nowMs: now(), isRead });
        if (verdict.kind === 'final') throw error;
        waitedMs += verdict.delayMs;
        if (waitedMs > MAX_WAIT_MS) {
          if (verdict.kind === 'retry') throw error;
          throw new ShipFailure(limited(verdict.delayMs));
        }
        await sleep(verdict.delayMs);
      }
    }
  }
}

function limited(delayMs: number) {
  return shipError(
    'rate-limited',
    `The forge asks to wait ${Math.ceil(delayMs / 1_000)} s.`,
    'No action needed: Ship retries automatically.',
  );
}

function answerOf(error: unknown): ForgeAnswer {
  const { status, response, message } = error as {
    status?: number;
    response?: { headers?: Record<string, string | undefined> };
    message?: string;
  };
  const number = (name: string) => {
    const value = response?.headers?.[name];
    return value === undefined || !/^\d+$/.test(value) ? null : Number(value);
  };
  return {
    status: status ?? 0,
    retryAfterSeconds: number('retry-after'),
    rateLimitRemaining: number('x-ratelimit-remaining'),
    rateLimitReset: number('x-ratelimit-reset'),
    saysRateLimited: /secondary rate limit|abuse detection/i.test(message ?? ''),
  };
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
