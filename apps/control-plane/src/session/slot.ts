import { openTurn } from '@ship/core';
import { type SessionState, timeOfId } from '@ship/protocol';
import type { WorkspacePort } from './parts.ts';
import type { SessionStore } from './session-store.ts';

/** How often a session that waits asks whether it is its turn. Its place in line is kept by asking. */
const ASK_EVERY_MS = 2_000;

/** The session's permission to work, of which the workspace has only so many. Given back after every turn. */
export class Slot {
  readonly #store: SessionStore;
  readonly #workspace: WorkspacePort;
  #askAgainAt = 0;

  constructor(store: SessionStore, workspace: WorkspacePort) {
    this.#store = store;
    this.#workspace = workspace;
  }

  get askAgainAt(): number {
    return this.#askAgainAt;
  }

  async take(state: SessionState): Promise<boolean> {
    // Stored before it is asked for: a slot that was granted to a process that died is given back by the next one.
    this.#store.vitals.write('holds-slot', 1);
    const isGranted = await this.#workspace.takeSlot(state.sessionId, askedAt(state));
    this.#askAgainAt = isGranted ? 0 : Date.now() + ASK_EVERY_MS;
    return isGranted;
  }

  /** Renews it while a turn is open, and gives it back when none is. */
  async keep(): Promise<void> {
    const { state } = this.#store;
    if (state === undefined || this.#store.vitals.read('holds-slot') === 0) return;
    if (openTurn(state.activity) !== undefined) {
      await this.#workspace.takeSlot(state.sessionId, askedAt(state));
    } else if (
      state.activity.status !== 'idle' ||
      state.queue.length === 0 ||
      this.#askAgainAt === 0
    ) {
      await this.#workspace.releaseSlot(state.sessionId);
      this.#store.vitals.write('holds-slot', 0);
    }
  }
}

/** When a person asked for it: a sandbox that was slow to come costs nobody his place in line. */
function askedAt({ activity, queue }: SessionState): number {
  const promptId = openTurn(activity)?.promptId ?? queue[0]?.promptId;
  return promptId === undefined ? Date.now() : timeOfId(promptId);
}
