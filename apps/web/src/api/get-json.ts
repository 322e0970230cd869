import { ErrorBody, ShipFailure } from '@ship/protocol';
import { notUnderstood, timedOut, unreachable } from './error.ts';

/** A schema of @ship/protocol, as far as this file needs it. */
interface Schema<T> {
  safeParse(body: unknown): { success: true; data: T } | { success: false };
}

const timeoutMs = 5000;

interface Options {
  readonly signal: AbortSignal;
  readonly fetch?: typeof globalThis.fetch;
}

/** GET, parsed once. Every failure but an abort by the caller is a ShipFailure with a remedy. */
export async function getJson<T>(
  path: string,
  schema: Schema<T>,
  { signal, fetch = globalThis.fetch }: Options,
): Promise<T> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(path, {
      headers: { accept: 'application/json' },
      cache: 'no-store',
      signal: AbortSignal.any([signal, timeout]),
    });
    // A degraded server may answer 503 with a body that is still the one we want.
    const body: unknown = await response.json().catch((cause: unknown) => {
      if (cause instanceof SyntaxError) return undefined;
      throw cause;
    });
    const wanted = schema.safeParse(body);
    if (wanted.success) return wanted.data;
    const failure = ErrorBody.safeParse(body);
    throw failure.success ? new ShipFailure(failure.data.error) : notUnderstood(response.status);
  } catch (cause) {
    if (cause instanceof ShipFailure || signal.aborted) throw cause;
    throw timeout.aborted ? timedOut(timeoutMs) : unreachable();
  }
}
