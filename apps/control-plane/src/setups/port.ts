/** What is kept of repositories that were set up: the workspace knows which, the sandbox service has their files. */
import type { SessionId, Settings } from '@ship/protocol';

/** One result is kept for each. */
export interface SetupSpot {
  repository: string;
  /** The branch that sessions ask for; empty for the repository's own. */
  base: string;
  provider: Settings['sandboxProvider'];
}

/** `provider` null: the one that the settings name. */
export type SetupQuestion = Omit<SetupSpot, 'provider'> & {
  provider: SetupSpot['provider'] | null;
};

export interface KeptSetup extends SetupSpot {
  /** Under which the sandbox service has it. */
  name: string;
  /** Of the setup's command and inputs, as the base commit has them. */
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
  find(spot: SetupSpot): Promise<KeptSetup | null>;
  /** Answers with the names for which there is no more room: their files are to go. */
  change(change: SetupChange): Promise<string[]>;
}

/** Those that are used stay the longest. */
export type SetupChange =
  | { kind: 'keep'; setup: KeptSetup }
  | { kind: 'use'; name: string }
  | { kind: 'drop'; name: string };
