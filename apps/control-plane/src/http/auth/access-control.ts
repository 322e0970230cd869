import type { SignInLink, TokenId } from '@ship/protocol';
import { unwrap } from '../../platform/result.ts';
import type { BrowserGrant, Grant } from '../../workspace/browsers.ts';
import type { Claim } from '../../workspace/access-control.ts';
import type { Workspace } from '../../workspace/workspace.ts';

/** Authentication state of the workspace. */
export interface AccessControl {
  verifyToken: (value: string) => Promise<TokenId | null>;
  /** Returns how long the address is blocked; a wrong token counts as a failure. */
  bearerWaitMs: (address: string, isWrong: boolean) => Promise<number>;
  /** Returns the value of the cookie. */
  signIn: (address: string, claim: Claim, lifeMs: number) => Promise<string>;
  createSignInLink: (grant: Grant) => Promise<SignInLink>;
  grantsOfBrowsers: (values: string[]) => Promise<BrowserGrant[]>;
  renewBrowser: (value: string, lifeMs: number) => Promise<void>;
  signOut: (value: string) => Promise<void>;
}

/** Takes a function, because a stub may only be used in the request that created it. */
export const accessControlOf = (workspace: () => DurableObjectStub<Workspace>): AccessControl => ({
  verifyToken: (value) => workspace().verifyToken(value),
  bearerWaitMs: (address, isWrong) => workspace().bearerWaitMs(address, isWrong),
  signIn: async (address, claim, lifeMs) =>
    unwrap(await workspace().signIn(address, claim, lifeMs)),
  createSignInLink: (grant) => workspace().createSignInLink(grant),
  grantsOfBrowsers: (values) => workspace().grantsOfBrowsers(values),
  renewBrowser: (value, lifeMs) => workspace().renewBrowser(value, lifeMs),
  signOut: (value) => workspace().signOut(value),
});
