/** What is kept of repositories that were set up: the workspace knows which, the sandbox service has their files. */
import type { SessionId, Settings } from '@ship/protocol';

/** One result is kept for each. */
export interface SetupSpot {
  repository: string;
  /** The branch that sessions ask for; empty for the repository's own. */
  base: string;
  provider: Settings['sandboxProvider'];
}

export interface KeptSetup extends SetupSpot {
  /** Under which the sandbox service has it. */
  name: string;
  setupMs: number;
  madeAt: number;
  /** The session for which it was made. */
  sessionId: SessionId;
}

export interface SetupShelf {
  find(spot: SetupSpot): Promise<KeptSetup | null>;
  /** Answers with the names for which there is no more room: their files are to go. */
  keep(setup: KeptSetup): Promise<string[]>;
  /** Those that are used stay the longest. */
  use(name: string): Promise<void>;
  drop(name: string): Promise<void>;
}
