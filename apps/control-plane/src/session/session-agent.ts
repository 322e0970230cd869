import { DurableObject } from 'cloudflare:workers';
import { DEFAULT_RETRY_POLICY, type SessionState, decide, evolveAll } from '@ship/core';
import type { CommandRequest, CommandResult } from '@ship/protocol';
import { migrate } from '../platform/migrate.ts';
import { EVENT_LOG_TABLE, EventLog } from './event-log.ts';
import { REQUEST_LEDGER_TABLE, RequestLedger } from './request-ledger.ts';

const MIGRATIONS = [EVENT_LOG_TABLE, REQUEST_LEDGER_TABLE];
const PAGE_SIZE = 500;

/** One per session: a shell that stores what the pure core decides. It holds no rule of its own. */
export class SessionAgent extends DurableObject<unknown> {
  readonly #log: EventLog;
  readonly #requests: RequestLedger;
  /** Only a cache of the fold: dropped with the object, rebuilt from the log. */
  #state: SessionState | undefined;

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    migrate(ctx.storage, MIGRATIONS);
    this.#log = new EventLog(ctx.storage.sql);
    this.#requests = new RequestLedger(ctx.storage.sql);
    this.#state = this.#fold(undefined);
  }

  /**
   * Stores the command's effects and its receipt together, or neither. The answer leaves after the disk has them.
   * A refusal is a value, not an exception: an exception loses its code on the way out of the object.
   */
  execute({ requestId, command }: CommandRequest): CommandResult {
    const body = JSON.stringify(command);
    return this.ctx.storage.transactionSync(() => {
      const earlier = this.#requests.find(requestId, body);
      if (earlier !== undefined) return earlier;
      const nowMs = Date.now();
      const decision = decide(this.#state, command, nowMs, { retry: DEFAULT_RETRY_POLICY });
      if (decision.kind === 'rejected') return decision;
      const appended = this.#log.append(decision.events, nowMs);
      const receipt = { requestId, seq: this.#log.newestSeq() };
      this.#requests.record(receipt, body);
      this.#state = evolveAll(this.#state, appended);
      return { kind: 'accepted', receipt };
    });
  }

  state(): SessionState | undefined {
    return this.#state;
  }

  /** The next page of events after `after`, as the text of a JSON array of DurableEnvelope. */
  eventsText(after: number): string {
    return this.#log.pageText(after, PAGE_SIZE);
  }

  #fold(from: SessionState | undefined): SessionState | undefined {
    let state = from;
    let after = from?.seq ?? 0;
    for (
      let page = this.#log.page(after, PAGE_SIZE);
      page.length > 0;
      page = this.#log.page(after, PAGE_SIZE)
    ) {
      state = evolveAll(state, page);
      after = page.at(-1)?.seq ?? after;
    }
    return state;
  }
}
