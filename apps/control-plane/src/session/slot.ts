import { openTurn } from '@ship/core';
import { type SessionState, timeOfId } from '@ship/protocol';
import type { WorkspacePort } from './parts.ts';
import type { SessionStore } from './session-store.ts';

/** How often a waiting session asks for its turn. Asking keeps its place in the queue. */
const ASK_EVERY_MS = 2_000;

/**
 * A slot that is not renewed for two minutes expires. Renewing with every event of a turn would cost a write in the workspace
 * each time.
 */
const RENEW_EVERY_MS = 20_000;

/** The session's permission to work; the workspace limits how many sessions work at once. Released after every turn. */
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
    // Stored before the request: a slot that was granted to a process that died must be released by the next one.
    this.#store.metadata.write('holds-slot', 1);
    const isGranted = await this.#ask(state);
    this.#askAgainAt = isGranted ? 0 : Date.now() + ASK_EVERY_MS;
    return isGranted;
  }

  /** Whether the slot has to be renewed or released. */
  isDue(nowMs: number): boolean {
    const { state } = this.#store;
    if (state === undefined || this.#store.metadata.read('holds-slot') === 0) return false;
    if (openTurn(state.activity) !== undefined) return nowMs - this.#renewedAt >= RENEW_EVERY_MS;
    return this.#isIdle(state);
  }

  /** Renews the slot while a turn is open, and releases it when none is. */
  async renewOrRelease(): Promise<void> {
    const { state } = this.#store;
    if (state === undefined || !this.isDue(Date.now())) return;
    if (openTurn(state.activity) !== undefined) {
      await this.#ask(state);
    } else {
      await this.#workspace.releaseSlot(state.sessionId);
      this.#store.metadata.write('holds-slot', 0);
    }
  }

  /** Nothing waits for the slot: neither a turn nor a queued prompt. */
  #isIdle({ activity, queue }: SessionState): boolean {
    return activity.status !== 'idle' || queue.length === 0 || this.#askAgainAt === 0;
  }

  async #ask(state: SessionState): Promise<boolean> {
    const isGranted = await this.#workspace.takeSlot(state.sessionId, askedAt(state));
    this.#renewedAt = Date.now();
    return isGranted;
  }
}

/** When a person asked: a sandbox that starts slowly must not cost its session its place in the queue. */
function askedAt({ activity, queue }: SessionState): number {
  const promptId = openTurn(activity)?.promptId ?? queue[0]?.promptId;
  return promptId === undefined ? Date.now() : timeOfId(promptId);
}
