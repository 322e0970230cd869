/**
 * What the access of a caller rests on: an API token (`tok_…`), or a browser that signed in (`browser_…`, by the hash of its cookie).
 * Whatever stays open (sockets, streams, terminals, passes to ports) keeps the credentials of its opener, and ends with the first
 * of them: otherwise a member whose token is revoked would go on in what was open already.
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

/** As text on the way to an object, and in its tables. */
export const writeCredentials = (credentials: readonly Credential[]): string =>
  credentials.join(' ');

export const readCredentials = (text: string | null): Credential[] =>
  z.array(Credential).parse((text ?? '').split(' ').filter((part) => part !== ''));
