import { openTurn } from '@ship/core';
import { type SessionState, timeOfId } from '@ship/protocol';
import type { WorkspacePort } from './parts.ts';
import type { SessionStore } from './session-store.ts';

/** How often a session that waits asks whether it is its turn. Its place in line is kept by asking. */
const ASK_EVERY_MS = 2_000;

/** A slot that is not renewed for two minutes is lost. With every event of a turn it would be a write of the workspace's. */
const RENEW_EVERY_MS = 20_000;

/** The session's permission to work, of which the workspace has only so many. Given back after every turn. */
export class Slot {
  readonly #store: SessionStore;
  readonly #workspace: WorkspacePort;
  #askAgainAt = 0;
  #renewedAt = 0;

  constructor(store: SessionStore, workspace: WorkspacePort) {
    this.#store = store;
    this.#workspace = workspace;
  }

  get askAgainAt(): number {
    return this.#askAgainAt;
  }

  async take(state: SessionState): Promise<boolean> {
    // Stored before it is asked for: a slot that was granted to a process that died is given back by the next one.
    this.#store.metadata.write('holds-slot', 1);
    const isGranted = await this.#ask(state);
    this.#askAgainAt = isGranted ? 0 : Date.now() + ASK_EVERY_MS;
    return isGranted;
  }

  /** Whether there is something to renew or to give back. */
  isDue(nowMs: number): boolean {
    const { state } = this.#store;
    if (state === undefined || this.#store.metadata.read('holds-slot') === 0) return false;
    if (openTurn(state.activity) !== undefined) return nowMs - this.#renewedAt >= RENEW_EVERY_MS;
    return this.#isIdle(state);
  }

  /** Renews it while a turn is open, and gives it back when none is. */
  async keep(): Promise<void> {
    const { state } = this.#store;
    if (state === undefined || !this.isDue(Date.now())) return;
    if (openTurn(state.activity) !== undefined) {
      await this.#ask(state);
    } else {
      await this.#workspace.releaseSlot(state.sessionId);
      this.#store.metadata.write('holds-slot', 0);
    }
  }

  /** Nobody waits for it: neither a turn nor a prompt that stands in line. */
  #isIdle({ activity, queue }: SessionState): boolean {
    return activity.status !== 'idle' || queue.length === 0 || this.#askAgainAt === 0;
  }

  async #ask(state: SessionState): Promise<boolean> {
    const isGranted = await this.#workspace.takeSlot(state.sessionId, askedAt(state));
    this.#renewedAt = Date.now();
    return isGranted;
  }
}

/** When a person asked for it: a sandbox that was slow to come costs nobody his place in line. */
function askedAt({ activity, queue }: SessionState): number {
  const promptId = openTurn(activity)?.promptId ?? queue[0]?.promptId;
  return promptId === undefined ? Date.now() : timeOfId(promptId);
}
