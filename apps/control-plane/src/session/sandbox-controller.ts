import { type SandboxState, type SandboxView, ShipFailure, fail } from '@ship/protocol';
import type { SandboxRef } from '../sandbox/connect.ts';
import { foreignFailure } from '../sandbox/failure.ts';
import type { Reconciler } from './reconciler.ts';
import { providerOf } from './provider.ts';
import type { SessionStore } from './session-store.ts';
import { limitEgress } from './workshop/egress.ts';

export type SandboxAction = 'look' | 'pause' | 'resume' | 'kill' | 'apply-network';

/** People's actions on the sandbox itself. Each answers with the state observed afterwards, not with the state hoped for. */
export class SandboxController {
  readonly #store: SessionStore;
  readonly #reconciler: Reconciler;

  constructor(store: SessionStore, reconciler: Reconciler) {
    this.#store = store;
    this.#reconciler = reconciler;
  }

  async do(action: SandboxAction): Promise<SandboxView> {
    const { sandbox } = this.#state();
    if ('sandboxId' in sandbox && sandbox.status !== 'lost') {
      await this.#act(action, sandbox.sandboxId);
    } else if (action === 'pause' || action === 'resume') {
      fail(
        'no-sandbox',
        'This session has no sandbox at the moment.',
        'Send a prompt: a new one starts with the work so far.',
      );
    }
    const { sessionId, sandbox: seen } = this.#state();
    return { sessionId, sandbox: seen };
  }

  /** For terminals and files: the sandbox, awake, or the reason why not. Only a person wakes what a person paused. */
  async enter(wake: boolean): Promise<SandboxRef> {
    const { sandbox } = this.#state();
    if (sandbox.status === 'frozen' && sandbox.byPerson && !wake)
      fail('sandbox-paused', 'This sandbox is paused.', 'Wake it to continue.');
    // An evictable sandbox may be asleep already.
    const mayBeAsleep = sandbox.status === 'running' && this.#reconciler.lifecycle.isEvictable;
    if (mayBeAsleep || sandbox.status === 'frozen' || sandbox.status === 'asleep')
      await this.#act('resume', sandbox.sandboxId);
    const seen = this.#state().sandbox;
    if (seen.status !== 'running') return refuseConnection(seen);
    const settings = await this.#reconciler.settings();
    return { sandboxId: seen.sandboxId, provider: providerOf(this.#store.metadata, settings) };
  }

  async #act(action: SandboxAction, sandboxId: string): Promise<void> {
    const { lifecycle } = this.#reconciler;
    try {
      const settings = await this.#reconciler.settings();
      const port = lifecycle.portOf(settings);
      switch (action) {
        case 'look':
          return await lifecycle.check(port, sandboxId);
        case 'pause':
          this.#refuseWhileWorking();
          return await lifecycle.freeze(port, sandboxId, true);
        case 'resume':
          return await lifecycle.resume(port, sandboxId, settings);
        case 'apply-network':
          return await limitEgress({ port, sandboxId, settings }, this.#store.metadata);
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

function refuseConnection(sandbox: SandboxState): never {
  if (sandbox.status === 'starting' || sandbox.status === 'retrying')
    return fail('unavailable', 'The sandbox is still starting.', 'Ship retries automatically.');
  if (sandbox.status === 'failed')
    return fail(
      'no-sandbox',
      `There is no sandbox: ${sandbox.error.message}`,
      sandbox.error.remedy,
    );
  return fail(
    'no-sandbox',
    'This session has no sandbox at the moment.',
    'Send a prompt: a new one starts with the work so far.',
  );
}
