import type * as z from 'zod';
import { ErrorBody } from '../error-schema.ts';
import { ShipFailure, shipError } from '../errors.ts';
import { type Backoff, backoffDelayMs } from './backoff.ts';
import { type Clock, systemClock } from './clock.ts';

export interface HttpOptions {
  /** `http://ship.localhost:4400`; empty in the web app, which uses its own origin. */
  baseUrl: string;
  /** Undefined in the web app, which authenticates with its cookie. */
  token?: string | undefined;
  fetch?: typeof globalThis.fetch;
  clock?: Clock;
  random?: () => number;
}

export interface HttpRequest<Answer extends z.ZodType | null> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api`. */
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  /** A command contains its request id, the idempotency key that makes it safe to retry. */
  body?: unknown;
  /** Schema of the response; null when it has no body. */
  answer: Answer;
  signal?: AbortSignal | undefined;
  /** True when the request is idempotent. */
  isRepeatable?: boolean;
}

const MAX_ATTEMPTS = 4;
const ATTEMPT_TIMEOUT_MS = 30_000;
const BACKOFF: Backoff = { baseDelayMs: 250, maxDelayMs: 5_000 };
/** A longer `retry-after` is not waited for; the caller gets the failure instead. */
const MAX_RETRY_AFTER_MS = 10_000;
const RETRYABLE_STATUSES = new Set([429, 502, 503, 504]);

type Attempt = { kind: 'answered'; response: Response } | { kind: 'lost'; error: unknown };

/** JSON calls with retries. Responses are parsed; every failure is a `ShipFailure`. */
export class HttpClient {
  readonly options: HttpOptions;
  readonly #fetch: typeof globalThis.fetch;
  readonly #clock: Clock;
  readonly #random: () => number;

  constructor(options: HttpOptions) {
    this.options = options;
    // A browser's fetch throws when it is called with another `this`.
    this.#fetch = options.fetch ?? ((...args) => globalThis.fetch(...args));
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
  }

  url(path: string, query: HttpRequest<null>['query'] = {}): string {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) search.set(name, String(value));
    const suffix = search.size === 0 ? '' : `?${search.toString()}`;
    return `${this.options.baseUrl.replace(/\/+$/, '')}/api${path}${suffix}`;
  }

  headers(): Record<string, string> {
    const { token } = this.options;
    return token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  /** One attempt without retries or parsing, for streams. */
  fetch(url: string, init: RequestInit): Promise<Response> {
    return this.#fetch(url, init);
  }

  async call<Answer extends z.ZodType | null>(
    request: HttpRequest<Answer>,
  ): Promise<Answer extends z.ZodType ? z.infer<Answer> : undefined> {
    const response = await this.#send(request);
    if (!response.ok) throw await failureOf(response);
    if (request.answer === null) {
      await response.body?.cancel();
      return undefined as never;
    }
    const parsed = request.answer.safeParse(await response.json().catch(() => undefined));
    if (!parsed.success) throw notUnderstood(response.status);
    // The schema has this type; the compiler does not narrow the conditional type through `null`.
    return parsed.data as never;
  }

  async #send(request: HttpRequest<z.ZodType | null>): Promise<Response> {
    const isRepeatable = request.isRepeatable ?? request.method !== 'POST';
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(request);
      const isLast = attempt === MAX_ATTEMPTS || !isRepeatable;
      if (outcome.kind === 'lost' && isLast) throw unreachable(this.options.baseUrl, outcome.error);
      const delayMs = backoffDelayMs(attempt, this.#random(), BACKOFF);
      if (outcome.kind === 'answered') {
        const { response } = outcome;
        if (isLast || !RETRYABLE_STATUSES.has(response.status)) return response;
        const askedMs = Number(response.headers.get('retry-after') ?? 0) * 1_000;
        if (askedMs > MAX_RETRY_AFTER_MS) return response;
        await response.body?.cancel();
        await this.#wait(Math.max(delayMs, askedMs || 0), request.signal);
      } else {
        await this.#wait(delayMs, request.signal);
      }
    }
  }

  async #attempt(request: HttpRequest<z.ZodType | null>): Promise<Attempt> {
    const { method, path, query, body, signal } = request;
    const timeout = AbortSignal.timeout(ATTEMPT_TIMEOUT_MS);
    try {
      const response = await this.#fetch(this.url(path, query), {
        method,
        headers: {
          accept: 'application/json',
          ...this.headers(),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      });
      return { kind: 'answered', response };
    } catch (error) {
      // An aborted caller gets its abort reason, not a network failure.
      signal?.throwIfAborted();
      return { kind: 'lost', error };
    }
  }

  #wait(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(delayMs, () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      });
      function abort() {
        cancel();
        reject(signal?.reason as Error);
      }
      signal?.addEventListener('abort', abort, { once: true });
    });
  }
}

/** The server's error; for a response in another format (a proxy's error page) only the status is known. */
async function failureOf(response: Response): Promise<ShipFailure> {
  const parsed = ErrorBody.safeParse(await response.json().catch(() => undefined));
  return parsed.success ? new ShipFailure(parsed.data.error) : notUnderstood(response.status);
}

function notUnderstood(status: number): ShipFailure {
  return new ShipFailure(
    shipError(
      'not-understood',
      `The server answered with status ${status} in a format that this client does not understand.`,
      'Check that the address is Ship’s, and that client and server have the same version.',
    ),
  );
}

function unreachable(baseUrl: string, cause: unknown): ShipFailure {
  const failure = new ShipFailure(
    shipError(
      'unreachable',
      baseUrl === '' ? 'Ship does not answer.' : `Ship does not answer at ${baseUrl}.`,
      'Check that it runs (npm start) and that the address is right.',
    ),
  );
  failure.cause = cause;
  return failure;
}
