import type { TokenId } from '@ship/protocol';
import type { BrowserId, Credential } from '../../platform/credential.ts';

/** The caller of a request: the local user, the owner of a deployment, an API token, or anonymous on open paths. */
export type Caller =
  | { kind: 'anonymous' }
  | { kind: 'local' }
  | { kind: 'owner'; browserId?: BrowserId }
  | { kind: 'token'; tokenId: TokenId; browserId?: BrowserId };

/** The caller's name as others in the session see it. */
export function nameOf(caller: Caller): string {
  return caller.kind === 'token' ? `token ${caller.tokenId.slice(-6)}` : caller.kind;
}

/** Revocable credentials of the caller; none for the local token and the owner's token. */
export function credentialsOf(caller: Caller): Credential[] {
  const tokenId = caller.kind === 'token' ? [caller.tokenId] : [];
  const browserId =
    'browserId' in caller && caller.browserId !== undefined ? [caller.browserId] : [];
  return [...tokenId, ...browserId];
}
