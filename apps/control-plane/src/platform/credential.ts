/**
 * A credential is the basis of a caller's access: an API token (`tok_…`) or a signed-in browser (`browser_…`, the hash of its
 * cookie). Long-lived connections (sockets, streams, terminals, port passes) keep the credentials of their opener and close when
 * the first of them ends: otherwise a member with a revoked token could keep using open connections.
 */
import { TokenId } from '@ship/protocol';
import * as z from 'zod';

const BROWSER_PREFIX = 'browser_';

export const BrowserId = z
  .templateLiteral([z.literal(BROWSER_PREFIX), z.string().regex(/^[0-9a-f]{64}$/)])
  .brand<'BrowserId'>();
export type BrowserId = z.infer<typeof BrowserId>;

const Credential = z.union([TokenId, BrowserId]);
export type Credential = z.infer<typeof Credential>;

export const browserIdOf = (hash: string): BrowserId => BrowserId.parse(`${BROWSER_PREFIX}${hash}`);

export const hashOfBrowser = (browserId: BrowserId): string =>
  browserId.slice(BROWSER_PREFIX.length);

export const isBrowserId = (credential: Credential): credential is BrowserId =>
  credential.startsWith(BROWSER_PREFIX);

export const isTokenId = (credential: Credential): credential is TokenId =>
  !isBrowserId(credential);

/** Credentials as text, for requests to Durable Objects and for their tables. */
export const writeCredentials = (credentials: readonly Credential[]): string =>
  credentials.join(' ');

export const readCredentials = (text: string | null): Credential[] =>
  z.array(Credential).parse((text ?? '').split(' ').filter((part) => part !== ''));
