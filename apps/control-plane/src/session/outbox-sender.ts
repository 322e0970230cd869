import { SessionReport } from '@ship/protocol';
import { log } from '../platform/log.ts';
import { foreignFailure } from '../sandbox/failure.ts';
import type { OutboxMessage, Outbox } from './outbox.ts';
import type { WorkspacePort } from './parts.ts';

/** Sends outbox messages to the objects that they are for. */
export class OutboxSender {
  readonly #outbox: Outbox;
  readonly #workspace: WorkspacePort;

  constructor(outbox: Outbox, workspace: WorkspacePort) {
    this.#outbox = outbox;
    this.#workspace = workspace;
  }

  async deliverDue(nowMs: number): Promise<void> {
    for (const message of this.#outbox.due(nowMs)) {
      try {
        await this.#deliver(message);
        this.#outbox.delivered(message);
      } catch (thrown) {
        const { code } = foreignFailure('agent', thrown);
        log('warn', 'outbox.failed', { key: message.key, code });
        this.#outbox.failed(message, Date.now());
      }
    }
  }

  async #deliver({ kind, payload }: OutboxMessage): Promise<void> {
    if (kind === 'report') await this.#workspace.report(SessionReport.parse(payload));
  }
}
