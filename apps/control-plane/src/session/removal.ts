import { nextCleanup } from '@ship/core';
import { sessionFolder } from './artifact-key.ts';
import type { SessionParts } from './parts.ts';
import type { SessionStore } from './session-store.ts';
import type { Watchers } from './watchers.ts';

/**
 * Deletes a session: closes it first, so that the ordinary rules destroy its sandbox, and deletes its log once nothing of it is
 * left outside. Resumes after a crash: the intent is stored together with the closing.
 */
export class Removal {
  readonly #storage: DurableObjectStorage;
  readonly #store: SessionStore;
  readonly #watchers: Watchers;
  readonly #parts: SessionParts;

  constructor(
    storage: DurableObjectStorage,
    store: SessionStore,
    watchers: Watchers,
    parts: SessionParts,
  ) {
    this.#storage = storage;
    this.#store = store;
    this.#watchers = watchers;
    this.#parts = parts;
  }

  /** The refs at the forge are deleted first, if the forge allows it. */
  #isTidyDue(): boolean {
    const { state, metadata } = this.#store;
    if (state === undefined || this.#parts.workshop === undefined) return false;
    const tidyAttempts = metadata.read('forge-tidy-attempts');
    return nextCleanup(state, { tidyAttempts, tidyTriedAt: 0, isTurnDriven: false }) !== undefined;
  }

  begin(by: string): void {
    if (this.#store.state === undefined) return;
    this.#store.metadata.write('deleting', 1);
    if (this.#store.state.activity.status === 'closed') return;
    this.#store.observe({ type: 'session.close', by });
  }

  /** Does nothing until the sandbox and the refs at the forge are gone; the alarm calls it again. */
  async finish(): Promise<void> {
    const { state } = this.#store;
    if (state === undefined || this.#store.metadata.read('deleting') === 0) return;
    if (state.sandbox.status !== 'none' && state.sandbox.status !== 'lost') return;
    if (this.#isTidyDue()) return;
    await this.#parts.artifacts.delete(sessionFolder(state.sessionId));
    await this.#parts.workspace.remove(state.sessionId);
    this.#watchers.endAll();
    await this.#storage.deleteAlarm();
    await this.#storage.deleteAll();
    this.#store.forget();
  }
}
