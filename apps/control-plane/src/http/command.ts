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
 * A fingerprint of the request as the client sent it, so that a retry has the same one. A client that forges a collision only
 * gets the response to one of its earlier requests.
 */
export function fingerprintOf(request: Request, body: unknown): string {
  return fingerprint(JSON.stringify([request.method, pathOf(request.url), body]));
}

/** Path and query without parsing: the platform has already normalized the URL. */
function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  const query = url.indexOf('?', start);
  return url.slice(start, query === -1 ? undefined : query);
}

interface CommandInput {
  request: Request;
  requestId: RequestId;
  body: unknown;
}

/** Sends a command to its session; throws its rejection. */
export async function sendCommand(
  stub: SessionStub,
  { request, requestId, body }: CommandInput,
  command: CommandRequest['command'],
): Promise<CommandReceipt> {
  const id = { requestId, fingerprint: fingerprintOf(request, body) };
  const text = await stub.execute({ ...id, command });
  // The session is trusted: validating the result again would cost as much as passing it as text saves.
  const result = JSON.parse(text) as CommandResult;
  if (result.kind === 'rejected') throw new ShipFailure(result.error);
  return result.receipt;
}
