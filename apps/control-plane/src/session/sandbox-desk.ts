import { type SandboxView, ShipFailure, fail } from '@ship/protocol';
import { foreignFailure } from '../sandbox/failure.ts';
import type { Driver } from './driver.ts';
import type { SessionStore } from './session-store.ts';

export type SandboxAction = 'look' | 'pause' | 'resume' | 'kill';

/** What a person asks of the sandbox itself. Each answers with what was seen afterwards, not with what was hoped. */
export class SandboxDesk {
  readonly #store: SessionStore;
  readonly #driver: Driver;

  constructor(store: SessionStore, driver: Driver) {
    this.#store = store;
    this.#driver = driver;
  }

  async do(action: SandboxAction): Promise<SandboxView> {
    const { sandbox } = this.#state();
    if ('sandboxId' in sandbox && sandbox.status !== 'lost') {
      await this.#act(action, sandbox.sandboxId);
    } else if (action === 'pause' || action === 'resume') {
      fail(
        'no-sandbox',
        'This session has no sandbox at the moment.',
        'Send a prompt: it brings one with the work so far.',
      );
    }
    const { sessionId, sandbox: seen } = this.#state();
    return { sessionId, sandbox: seen };
  }

  async #act(action: SandboxAction, sandboxId: string): Promise<void> {
    const { lifecycle } = this.#driver;
    try {
      const settings = await this.#driver.settings();
      const port = lifecycle.portOf(settings);
      switch (action) {
        case 'look':
          return await lifecycle.check(port, sandboxId);
        case 'pause':
          this.#refuseWhileWorking();
          return await lifecycle.freeze(port, sandboxId, true);
        case 'resume':
          return await lifecycle.resume(port, sandboxId, settings);
        case 'kill':
          return await lifecycle.destroy(port, sandboxId, 'asked');
      }
    } catch (thrown) {
      throw new ShipFailure(foreignFailure('sandbox', thrown));
    }
  }

  #refuseWhileWorking(): void {
    const { status } = this.#state().activity;
    if (status === 'working' || status === 'stopping')
      fail(
        'session-busy',
        'The agent is working in this sandbox.',
        'Stop the turn or wait until it ends, then pause it.',
      );
  }

  #state() {
    return (
      this.#store.state ??
      fail('not-found', 'There is no such session.', 'List the sessions and pick one.')
    );
  }
}
