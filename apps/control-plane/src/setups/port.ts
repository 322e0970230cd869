/** The saved results of setups: the workspace has the list, the sandbox service has the files. */
import type { SessionId, Settings } from '@ship/protocol';

/** One result is saved for each. */
export interface SetupScope {
  repository: string;
  /** The base branch of the sessions; empty for the repository's default. */
  base: string;
  provider: Settings['sandboxProvider'];
}

/** `provider` null: the one from the settings. */
export type SetupQuestion = Omit<SetupScope, 'provider'> & {
  provider: SetupScope['provider'] | null;
};

export interface KeptSetup extends SetupScope {
  /** The name under which the sandbox service has it. */
  name: string;
  /** A hash of the setup's command and inputs, as of the base commit. */
  key: string;
  /** The commit that it was made from. */
  baseSha: string;
  command: string;
  setupMs: number;
  madeAt: number;
  /** The session for which it was made. */
  sessionId: SessionId;
}

export interface SetupStore {
  find(scope: SetupScope): Promise<KeptSetup | null>;
  /** Returns the evicted names: the caller deletes their files. */
  change(change: SetupChange): Promise<string[]>;
}

/** The least recently used are evicted first. */
export type SetupChange =
  | { kind: 'keep'; setup: KeptSetup }
  | { kind: 'use'; name: string }
  | { kind: 'drop'; name: string };
