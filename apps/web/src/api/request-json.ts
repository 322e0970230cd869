import { ErrorBody, ShipFailure } from '@ship/protocol';
import { notUnderstood, timedOut, unreachable } from './error.ts';

/** The part of a @ship/protocol schema that this file uses. */
export interface Schema<T> {
  safeParse(body: unknown): { success: true; data: T } | { success: false };
}

const readTimeoutMs = 5000;
/** A write may wait for a disk or a forge. Giving up early would leave its outcome unknown. */
const changeTimeoutMs = 20_000;

interface Options {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  /** Sent unchanged instead of `body`. */
  readonly file?: Blob;
  readonly signal?: AbortSignal | undefined;
  /** Overrides the default for requests that may have to resume a sandbox first. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof globalThis.fetch;
}

/** For responses without a body. */
export const noContent: Schema<undefined> = {
  safeParse: () => ({ success: true, data: undefined }),
};

/** Sends a request and parses the response once. Every failure except an abort by the caller is a ShipFailure with a remedy. */
export async function requestJson<T>(
  path: string,
  schema: Schema<T>,
  { method = 'GET', body, file, signal, fetch = globalThis.fetch, ...given }: Options = {},
): Promise<T> {
  const timeoutMs = given.timeoutMs ?? (method === 'GET' ? readTimeoutMs : changeTimeoutMs);
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(path, {
      method,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(file !== undefined && { body: file }),
      cache: 'no-store',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    return await readAnswer(response, schema);
  } catch (cause) {
    if (cause instanceof ShipFailure || signal?.aborted === true) throw cause;
    throw timeout.aborted ? timedOut(timeoutMs, method === 'GET') : unreachable();
  }
}

async function readAnswer<T>(response: Response, schema: Schema<T>): Promise<T> {
  const body: unknown = await response.json().catch((cause: unknown) => {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  });
  const failure = ErrorBody.safeParse(body);
  if (failure.success) throw new ShipFailure(failure.data.error);
  // A degraded server may answer 503 with a valid body.
  const wanted = schema.safeParse(body);
  if (wanted.success && (response.ok || body !== undefined)) return wanted.data;
  throw notUnderstood(response.status);
}
