import { SessionReport } from '@ship/protocol';
import { log } from '../platform/log.ts';
import { foreignFailure } from '../sandbox/failure.ts';
import type { Letter, Outbox } from './outbox.ts';
import type { WorkspacePort } from './parts.ts';

/** Takes letters from the outbox to where they belong. */
export class Post {
  readonly #outbox: Outbox;
  readonly #workspace: WorkspacePort;

  constructor(outbox: Outbox, workspace: WorkspacePort) {
    this.#outbox = outbox;
    this.#workspace = workspace;
  }

  async deliverDue(nowMs: number): Promise<void> {
    for (const letter of this.#outbox.due(nowMs)) {
      try {
        await this.#deliver(letter);
        this.#outbox.received(letter);
      } catch (thrown) {
        const { code } = foreignFailure('agent', thrown);
        log('warn', 'outbox.failed', { key: letter.key, code });
        this.#outbox.failed(letter, Date.now());
      }
    }
  }

  async #deliver({ kind, payload }: Letter): Promise<void> {
    if (kind === 'report') await this.#workspace.report(SessionReport.parse(payload));
  }
}
