import { FLUSH, joined, packet } from './pkt-line.ts';
import type { PushRequest } from './push-commands.ts';

/** Plain text, which git shows to its user as `remote: …`. */
export function refusal(status: number, message: string): Response {
  return new Response(`${message}\n`, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  });
}

/**
 * Refuses a push in git's own protocol: `! [remote rejected] main -> main (reason)`. All or nothing: refs that would be allowed
 * alone are refused with the rest, so that an agent cannot half succeed unnoticed.
 */
export function refusedPush(
  { commands, capabilities }: PushRequest,
  reasonOf: (ref: string) => string,
): Response {
  const hasReport = capabilities.has('report-status') || capabilities.has('report-status-v2');
  const first = commands[0];
  if (!hasReport || first === undefined) return refusal(403, reasonOf(first?.ref ?? ''));
  const report = joined([
    packet('unpack ok\n'),
    ...commands.map(({ ref }) => packet(`ng ${ref} ${reasonOf(ref)}\n`)),
    FLUSH,
  ]);
  const body = capabilities.has('side-band-64k') ? joined([...banded(report), FLUSH]) : report;
  return new Response(body, {
    headers: {
      'content-type': 'application/x-git-receive-pack-result',
      'cache-control': 'no-store',
    },
  });
}

const BAND_BYTES = 65_000;

function banded(bytes: Uint8Array): Uint8Array[] {
  const packets: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += BAND_BYTES)
    packets.push(packet(joined([Uint8Array.of(1), bytes.subarray(at, at + BAND_BYTES)])));
  return packets;
}
