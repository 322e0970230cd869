import { fingerprint } from '@ship/core';
import {
  type CommandReceipt,
  type CommandResult,
  type RequestId,
  ShipFailure,
  type CommandRequest,
} from '@ship/protocol';
import type { SessionStub } from '../session/session-object.ts';

/**
 * Of what the client sent, without what was made of it on the way: the same again has the same. Who looks for two that
 * have the same gains nothing but the answer to a request of his own.
 */
export function fingerprintOf(request: Request, body: unknown): string {
  return fingerprint(JSON.stringify([request.method, pathOf(request.url), body]));
}

/** Of an address that the platform has parsed and written again: nothing is left to normalize. */
function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  const query = url.indexOf('?', start);
  return url.slice(start, query === -1 ? undefined : query);
}

interface Asked {
  request: Request;
  requestId: RequestId;
  body: unknown;
}

/** Hands a command to its session; a refusal becomes the answer. */
export async function send(
  stub: SessionStub,
  { request, requestId, body }: Asked,
  command: CommandRequest['command'],
): Promise<CommandReceipt> {
  const asked = { requestId, fingerprint: fingerprintOf(request, body) };
  const text = await stub.execute({ ...asked, command });
  // Our own object's word: looking at its shape again would cost as much as the call saves by it.
  const result = JSON.parse(text) as CommandResult;
  if (result.kind === 'rejected') throw new ShipFailure(result.error);
  return result.receipt;
}
