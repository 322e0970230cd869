import type { TokenId } from '@ship/protocol';
import { unwrap } from '../../platform/outcome.ts';
import type { Grant } from '../../workspace/browsers.ts';
import type { Claim } from '../../workspace/entrance.ts';
import type { Workspace } from '../../workspace/workspace.ts';

/** What the workspace knows of those who may come in. */
export interface Entrance {
  verifyToken: (value: string) => Promise<TokenId | null>;
  signIn: (address: string, claim: Claim) => Promise<string>;
  grantOfBrowser: (value: string) => Promise<Grant | null>;
  signOut: (value: string) => Promise<void>;
}

/** A stub belongs to the request that makes it: hence a function. */
export const entranceTo = (workspace: () => DurableObjectStub<Workspace>): Entrance => ({
  verifyToken: (value) => workspace().verifyToken(value),
  signIn: async (address, claim) => unwrap(await workspace().signIn(address, claim)),
  grantOfBrowser: (value) => workspace().grantOfBrowser(value),
  signOut: (value) => workspace().signOut(value),
});
