import type { TokenId } from '@ship/protocol';
import type { BrowserId, Credential } from '../../platform/credential.ts';

/** Who asks: the one user of this machine, the owner of a deployment, a program with an API token, or anybody where that does not matter. */
export type Caller =
  | { kind: 'anonymous' }
  | { kind: 'local' }
  | { kind: 'owner'; browserId?: BrowserId }
  | { kind: 'token'; tokenId: TokenId; browserId?: BrowserId };

/** As the others in the session see the caller. */
export function nameOf(caller: Caller): string {
  return caller.kind === 'token' ? `token ${caller.tokenId.slice(-6)}` : caller.kind;
}

/** Empty for those whose access ends with the server only: the local token, the owner's token. */
export function credentialsOf(caller: Caller): Credential[] {
  const tokenId = caller.kind === 'token' ? [caller.tokenId] : [];
  const browserId =
    'browserId' in caller && caller.browserId !== undefined ? [caller.browserId] : [];
  return [...tokenId, ...browserId];
}
