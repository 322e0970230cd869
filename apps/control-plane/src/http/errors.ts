import {
  type ErrorBody,
  type ShipError,
  ShipFailure,
  httpStatusOf,
  shipError,
} from '@ship/protocol';

/** Converts errors to responses. Unexpected errors are logged; clients get a generic 500. */
export function errorResponse(thrown: unknown): Response {
  const error = thrown instanceof ShipFailure ? thrown.error : unexpected(thrown);
  const body: ErrorBody = { error };
  const status = httpStatusOf(error.code);
  return Response.json(body, {
    status,
    headers: {
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...(status === 401 && { 'www-authenticate': 'Bearer realm="ship"' }),
    },
  });
}

function unexpected(thrown: unknown): ShipError {
  // oxlint-disable-next-line no-console -- workerd's log is stderr; the host collects it
  console.error(JSON.stringify({ level: 'error', event: 'unexpected', error: String(thrown) }));
  return shipError(
    'internal',
    'An unexpected error occurred.',
    'Try again; if it happens again, check the log of `ship up` and report it.',
  );
}
