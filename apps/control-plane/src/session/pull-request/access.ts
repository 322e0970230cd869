import {
  type DeleteBranch,
  type SessionState,
  type Settings,
  ShipFailure,
  fail,
} from '@ship/protocol';
import type { Forge } from '../../git/index.ts';
import { foreignFailure } from '../../sandbox/failure.ts';
import type { SessionParts } from '../parts.ts';
import { providerOf } from '../provider.ts';
import type { SessionStore } from '../session-store.ts';
import type { Workplace, WorkshopParts } from '../workshop/parts.ts';
import { isDone } from '../workshop/stages.ts';

/** The inputs of the session's services: its state, its forge, and its sandbox while there is one. */
export class Access {
  readonly store: SessionStore;
  readonly #parts: SessionParts;
  readonly #settings: () => Promise<Settings>;
  /** Call before work in the sandbox: the service may put an idle sandbox to sleep. */
  readonly preventEviction: () => Promise<void>;

  constructor(
    store: SessionStore,
    parts: SessionParts,
    settings: () => Promise<Settings>,
    preventEviction: () => Promise<void>,
  ) {
    this.store = store;
    this.#parts = parts;
    this.#settings = settings;
    this.preventEviction = preventEviction;
  }

  get state(): SessionState {
    return (
      this.store.state ??
      fail('not-found', 'There is no such session.', 'List the sessions and pick one.')
    );
  }

  get workshop(): WorkshopParts {
    return (
      this.#parts.workshop ??
      fail(
        'not-configured',
        'This server has no agent, and so no work to show.',
        'Start it with `ship up`, or set GATEWAY_SECRET.',
      )
    );
  }

  async deleteBranch(): Promise<DeleteBranch> {
    return (await this.#settings()).branches.delete;
  }

  forge(): Promise<Forge> {
    return this.workshop.forge(this.state.repository, this.state.git.movedTo);
  }

  /** Undefined without a running sandbox that has the repository. */
  async place(): Promise<Workplace | undefined> {
    await this.preventEviction();
    const { sandbox } = this.state;
    if (sandbox.status !== 'running' || !isDone(this.store, 'clone')) return undefined;
    const settings = await this.#settings();
    return {
      state: () => this.state,
      settings,
      // The service that has the sandbox, even after another one was chosen.
      port: this.#parts.sandboxes(providerOf(this.store.metadata, settings)),
      sandboxId: sandbox.sandboxId,
      forge: () => this.forge(),
    };
  }

  /**
   * Reads from the sandbox while it runs; if it is missing or does not answer, from the forge. An error about the request
   * itself (no such file, too large) is final.
   */
  async either<Value>(
    fromSandbox: (place: Workplace) => Promise<Value>,
    fromForge: () => Promise<Value>,
  ): Promise<Value> {
    const place = await this.place();
    if (place === undefined) return fromForge();
    try {
      return await fromSandbox(place);
    } catch (thrown) {
      const error = foreignFailure('sandbox', thrown);
      if (error.category === 'user-action' || !this.isPushed) throw new ShipFailure(error);
      return fromForge();
    }
  }

  get isPushed(): boolean {
    return this.tip !== null;
  }

  /** The newest commit of the branch at the forge, as far as is known. */
  get tip(): string | null {
    const { outside, pushedSha } = this.state.git;
    return outside?.sha ?? pushedSha;
  }
}

export function noSandbox(what: string): never {
  return fail(
    'no-sandbox',
    `${what} is only in the sandbox, and there is none at the moment.`,
    'Send a prompt: a new one starts with the work so far.',
  );
}
