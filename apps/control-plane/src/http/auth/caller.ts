import type { TokenId } from '@ship/protocol';

/** Who asks: the one user of this machine, the owner of a deployment, a program with an API token, or anybody where that does not matter. */
export type Caller =
  | { kind: 'anybody' }
  | { kind: 'local' }
  | { kind: 'owner' }
  | { kind: 'token'; tokenId: TokenId };

/** As the others in the session see the caller. */
export function nameOf(caller: Caller): string {
  return caller.kind === 'token' ? `token ${caller.tokenId.slice(-6)}` : caller.kind;
}
