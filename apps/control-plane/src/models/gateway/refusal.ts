import { type ShipError, ShipFailure, httpStatusOf, shipError } from '@ship/protocol';
import type { WireProtocol } from '../protocols/protocol.ts';

/** When a call that waits for others may be tried again. */
const RETRY_AFTER_SEC = 3;

/** A refusal of ours in the shape that the agent's client understands, with our code for whoever looks closer. */
export function refuse(shape: WireProtocol, error: ShipError, retryAfterSec?: number): Response {
  const status = statusOf(error);
  const message = spoken(error);
  const headers = new Headers({ 'cache-control': 'no-store', 'x-ship-error': error.code });
  if (status === 429) headers.set('retry-after', String(retryAfterSec ?? RETRY_AFTER_SEC));
  return Response.json(shape.errorBody(status, { code: error.code, message }), { status, headers });
}

/**
 * Agents read a status such as 500 out of any number in a message, also out of "40500 tokens", and try again what is final. So
 * what they are told of that has no numbers; people see the whole.
 */
function spoken({ category, message, remedy }: ShipError): string {
  const text = `${message} ${remedy}`;
  return category === 'transient' ? text : text.replaceAll(/\$?\d[\d.,]*(?<=\d)/g, '…');
}

/** Agents try 408, 409, 429 and all above 500 again by themselves; what only a person can mend must be none of these. */
function statusOf(error: ShipError): number {
  const status = httpStatusOf(error.code);
  const isRetried = status === 408 || status === 409 || status >= 500;
  return isRetried && error.category === 'user-action' ? 400 : status;
}

/** What was not foreseen is logged, and its text stays inside. */
export function errorOf(thrown: unknown): ShipError {
  if (thrown instanceof ShipFailure) return thrown.error;
  const name = thrown instanceof Error ? thrown.name : typeof thrown;
  // oxlint-disable-next-line no-console -- workerd's log is stderr; the host collects it
  console.error(JSON.stringify({ level: 'error', event: 'model-gateway', error: name }));
  return shipError('internal', 'The model gateway failed.', 'Look at the log, then try again.');
}
