import type { ShipError } from '@ship/protocol';

/**
 * A session's sandbox as it was last *seen*, never as it was hoped for: each state is entered by an observation, so what
 * is shown to people was checked.
 */
export type Sandbox =
  | { status: 'none' }
  | { status: 'starting'; attempt: number; since: number }
  | { status: 'retrying'; attempt: number; error: ShipError; nextAttemptAt: number }
  | { status: 'running'; sandboxId: string; since: number }
  /** Processes stopped in place: instant to resume, memory still held. */
  | { status: 'frozen'; sandboxId: string; since: number }
  /** Processes ended, files kept: no memory held. */
  | { status: 'asleep'; sandboxId: string; since: number }
  /** Gone without our doing; the work is in its checkpoint. */
  | { status: 'lost'; sandboxId: string; reason: string; since: number }
  /** Cannot be had without a person's help. */
  | { status: 'failed'; error: ShipError; since: number };

/** What the session needs of its sandbox at the moment. */
export interface Demand {
  /** A turn is open or a prompt waits. */
  hasWork: boolean;
  /** Somebody looks at the session. */
  hasViewers: boolean;
  /** When there was last work or a viewer. */
  lastActiveAt: number;
  isClosed: boolean;
  /** The machine is short of memory: what is idle should give its memory back now. */
  isMemoryShort: boolean;
}
