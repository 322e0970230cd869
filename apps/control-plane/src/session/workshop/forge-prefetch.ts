import type { SessionState } from '@ship/protocol';
import type { Forge } from '../../git/index.ts';
import type { WorkshopParts } from './parts.ts';

type Asked = Pick<SessionState, 'repository' | 'git'>;

/**
 * The forge of the repository, connected to while the sandbox is made: a folder of this machine takes the forge a few
 * processes, and a turn that has its sandbox would wait for them.
 */
export class ForgePrefetch {
  readonly #connect: WorkshopParts['forge'];
  #asked: { key: string; forge: Promise<Forge> } | undefined;

  constructor(connect: WorkshopParts['forge']) {
    this.#connect = connect;
  }

  ask(state: Asked): void {
    const asked = { key: keyOf(state), forge: this.#ask(state) };
    this.#asked = asked;
    // Nobody waits for it yet: whoever needs it asks again.
    asked.forge.catch(() => {
      if (this.#asked === asked) this.#asked = undefined;
    });
  }

  /** For one attempt: asked for when it is first needed, and once, unless that fails. */
  take(state: () => Asked): () => Promise<Forge> {
    const asked = this.#asked;
    this.#asked = undefined;
    let held = asked?.key === keyOf(state()) ? asked.forge : undefined;
    return async () => {
      held ??= this.#ask(state());
      try {
        return await held;
      } catch (thrown) {
        held = undefined;
        throw thrown;
      }
    };
  }

  #ask({ repository, git }: Asked): Promise<Forge> {
    return this.#connect(repository, git.movedTo);
  }
}

const keyOf = ({ repository, git }: Asked): string => JSON.stringify([repository, git.movedTo]);
