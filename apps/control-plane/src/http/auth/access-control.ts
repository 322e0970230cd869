import type { SignInLink, TokenId } from '@ship/protocol';
import { unwrap } from '../../platform/result.ts';
import type { BrowserGrant, Grant } from '../../workspace/browsers.ts';
import type { Claim } from '../../workspace/access-control.ts';
import type { Workspace } from '../../workspace/workspace.ts';

/** What the workspace knows of those who may come in. */
export interface AccessControl {
  verifyToken: (value: string) => Promise<TokenId | null>;
  /** How long the address has to wait; a wrong one counts. */
  bearerWaitMs: (address: string, isWrong: boolean) => Promise<number>;
  /** The value of the cookie. */
  signIn: (address: string, claim: Claim, lifeMs: number) => Promise<string>;
  offerSignIn: (grant: Grant) => Promise<SignInLink>;
  grantsOfBrowsers: (values: string[]) => Promise<BrowserGrant[]>;
  renewBrowser: (value: string, lifeMs: number) => Promise<void>;
  signOut: (value: string) => Promise<void>;
}

/** A stub belongs to the request that makes it: hence a function. */
export const accessControlOf = (workspace: () => DurableObjectStub<Workspace>): AccessControl => ({
  verifyToken: (value) => workspace().verifyToken(value),
  bearerWaitMs: (address, isWrong) => workspace().bearerWaitMs(address, isWrong),
  signIn: async (address, claim, lifeMs) =>
    unwrap(await workspace().signIn(address, claim, lifeMs)),
  offerSignIn: (grant) => workspace().offerSignIn(grant),
  grantsOfBrowsers: (values) => workspace().grantsOfBrowsers(values),
  renewBrowser: (value, lifeMs) => workspace().renewBrowser(value, lifeMs),
  signOut: (value) => workspace().signOut(value),
});
