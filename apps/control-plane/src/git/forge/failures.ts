import { classify } from '@ship/core';
import { ShipFailure, shipError } from '@ship/protocol';

interface HttpFailure {
  status: number;
  /** Which fields the forge found wrong, where it says so. */
  fields: string[];
}

/** What Octokit throws for an answer, taken by its structure; undefined for anything else. */
export function httpFailure(error: unknown): HttpFailure | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number')
    return undefined;
  // Octokit gives a request that got no answer the status 500.
  const response =
    'response' in error ? (error.response as { data?: unknown } | undefined) : undefined;
  const data = response?.data as { errors?: unknown } | undefined;
  const list = Array.isArray(data?.errors) ? (data.errors as unknown[]) : [];
  const fields = list.flatMap((one) =>
    typeof one === 'object' && one !== null && 'field' in one && typeof one.field === 'string'
      ? [one.field]
      : [],
  );
  return { status: error.status, fields };
}

/** The forge's failure as ours. Its words stay behind: they may quote what was sent. */
export function forgeFailure(error: unknown): ShipFailure {
  if (error instanceof ShipFailure) return error;
  const status = httpFailure(error)?.status;
  const name = error instanceof Error ? error.name : undefined;
  if (status === 404)
    return new ShipFailure(
      shipError(
        'not-found',
        'The forge has no such repository, or hides it from Ship.',
        'Check its address, and that the token may see it; it may have been renamed or removed.',
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
