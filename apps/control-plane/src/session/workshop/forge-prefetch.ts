import type { SessionState } from '@ship/protocol';
import type { Forge } from '../../git/index.ts';
import type { WorkshopParts } from './parts.ts';

type ForgeKey = Pick<SessionState, 'repository' | 'git'>;

/**
 * Connects to the repository's forge while the sandbox is created: for a local folder the forge starts a few processes, which a
 * turn would otherwise wait for.
 */
export class ForgePrefetch {
  readonly #connect: WorkshopParts['forge'];
  #pending: { key: string; forge: Promise<Forge> } | undefined;

  constructor(connect: WorkshopParts['forge']) {
    this.#connect = connect;
  }

  start(state: ForgeKey): void {
    const pending = { key: keyOf(state), forge: this.#open(state) };
    this.#pending = pending;
    // Not awaited: on a failure, the caller that needs the forge connects again.
    pending.forge.catch(() => {
      if (this.#pending === pending) this.#pending = undefined;
    });
  }

  /** For one attempt: connects on first use, and once, unless that fails. */
  take(state: () => ForgeKey): () => Promise<Forge> {
    const pending = this.#pending;
    this.#pending = undefined;
    let connection = pending?.key === keyOf(state()) ? pending.forge : undefined;
    return async () => {
      connection ??= this.#open(state());
      try {
        return await connection;
      } catch (thrown) {
        connection = undefined;
        throw thrown;
      }
    };
  }

  #open({ repository, git }: ForgeKey): Promise<Forge> {
    return this.#connect(repository, git.movedTo);
  }
}

const keyOf = ({ repository, git }: ForgeKey): string => JSON.stringify([repository, git.movedTo]);
