import { classify, sanitizeForgeMessage, generalRefusal, saying } from '@ship/core';
import { ShipFailure, shipError } from '@ship/protocol';

interface HttpFailure {
  status: number;
  /** The fields that the forge rejected, where it names them. */
  fields: string[];
  /** The forge's own message, neutralized and bounded; empty when there is none. */
  words: string;
}

/** Reads an error that Octokit throws for an answer, by its structure; undefined for anything else. */
export function httpFailure(error: unknown): HttpFailure | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number')
    return undefined;
  // Octokit gives a request without an answer the status 500.
  const response =
    'response' in error ? (error.response as { data?: unknown } | undefined) : undefined;
  const data = response?.data as { message?: unknown; errors?: unknown } | undefined;
  const list = Array.isArray(data?.errors) ? (data.errors as unknown[]) : [];
  const fields = list.flatMap((one) => textOf(one, 'field'));
  const details = list.flatMap((one) => (typeof one === 'string' ? [one] : textOf(one, 'message')));
  const message = textOf(data, 'message');
  // "Validation Failed" says nothing beside its details.
  const texts = details.length > 0 ? details : message;
  return { status: error.status, fields, words: sanitizeForgeMessage(texts.slice(0, 5).join(' ')) };
}

function textOf(value: unknown, key: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const found: unknown = Reflect.get(value, key);
  return typeof found === 'string' ? [found] : [];
}

/** Converts the forge's failure to Ship's, with its own reason. */
export function forgeFailure(error: unknown): ShipFailure {
  if (error instanceof ShipFailure) return error;
  const failure = httpFailure(error);
  const { status, words = '' } = failure ?? {};
  const name = error instanceof Error ? error.name : undefined;
  if (status === 404)
    return new ShipFailure(
      shipError(
        'not-found',
        'The forge has no such repository, or hides it from Ship.',
        'Check its address, and that the token may see it; it may have been renamed or removed.',
      ),
    );
  const refusal = failure === undefined ? undefined : generalRefusal(failure);
  if (refusal !== undefined) return new ShipFailure(refusal);
  if (status === 422 || status === 409 || status === 400)
    return new ShipFailure(
      shipError(
        'invalid-input',
        `The forge refused the request${saying(words)}`,
        'Do what the forge says, then retry.',
      ),
    );
  return new ShipFailure(
    classify({
      boundary: 'forge',
      ...(name === 'AbortError' || name === 'TimeoutError' ? { name } : {}),
      ...(status === undefined ? {} : { status }),
    }),
  );
}

export function isTransient(error: unknown): boolean {
  return forgeFailure(error).error.category === 'transient';
}
