import {
  type CommandReceipt,
  type RequestId,
  ShipFailure,
  type CommandRequest,
} from '@ship/protocol';
import { sha256Hex } from '../platform/bytes.ts';
import type { SessionStub } from '../session/session-agent.ts';

/** A hash of what the client sent, without what was made of it on the way: the same again has the same. */
export function fingerprintOf(request: Request, body: unknown): Promise<string> {
  const { pathname } = new URL(request.url);
  return sha256Hex(JSON.stringify([request.method, pathname, body]));
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
  const fingerprint = await fingerprintOf(request, body);
  const result = await stub.execute({ requestId, fingerprint, command });
  if (result.kind === 'rejected') throw new ShipFailure(result.error);
  return result.receipt;
}
