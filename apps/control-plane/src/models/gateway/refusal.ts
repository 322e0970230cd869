import { type ShipError, ShipFailure, httpStatusOf, shipError } from '@ship/protocol';
import type { WireProtocol } from '../protocols/protocol.ts';

/** The retry delay of a call that waits for others. */
const RETRY_AFTER_SEC = 3;

/** Builds Ship's error in the format of the agent's client, with Ship's error code. */
export function refuse(shape: WireProtocol, error: ShipError, retryAfterSec?: number): Response {
  const status = statusOf(error);
  const message = agentMessage(error);
  const headers = new Headers({ 'cache-control': 'no-store', 'x-ship-error': error.code });
  if (status === 429) headers.set('retry-after', String(retryAfterSec ?? RETRY_AFTER_SEC));
  return Response.json(shape.errorBody(status, { code: error.code, message }), { status, headers });
}

/**
 * Removes numbers from final errors. Agents read a status such as 500 out of any number in a message, even "40500 tokens", and
 * would retry. People see the full message elsewhere.
 */
function agentMessage({ category, message, remedy }: ShipError): string {
  const text = `${message} ${remedy}`;
  return category === 'transient' ? text : text.replaceAll(/\$?\d[\d.,]*(?<=\d)/g, '…');
}

/** Agents retry 408, 409, 429 and 5xx automatically; an error that only a person can fix must use none of these. */
function statusOf(error: ShipError): number {
  const status = httpStatusOf(error.code);
  const isRetried = status === 408 || status === 409 || status >= 500;
  return isRetried && error.category === 'user-action' ? 400 : status;
}

/** Unexpected errors are logged by name; their text is not exposed. */
export function errorOf(thrown: unknown): ShipError {
  if (thrown instanceof ShipFailure) return thrown.error;
  const name = thrown instanceof Error ? thrown.name : typeof thrown;
  // oxlint-disable-next-line no-console -- workerd's log is stderr; the host collects it
  console.error(JSON.stringify({ level: 'error', event: 'model-gateway', error: name }));
  return shipError('internal', 'The model gateway failed.', 'Check the log, then try again.');
}
