import {
  DEFAULT_RETRY_POLICY,
  type Decision,
  decide,
  evolveAll,
  fold,
  summarize,
} from '@ship/core';
import type {
  CommandRequest,
  CommandResult,
  SessionCommand,
  SessionEvent,
  SessionState,
  SessionSummary,
} from '@ship/protocol';
import { PURSE_TABLES } from '../models/purse/tables.ts';
import { log } from '../platform/log.ts';
import { migrate } from '../platform/migrate.ts';
import { EVENT_LOG_TABLE, EventLog, type StoredEvent } from './event-log.ts';
import { OUTBOX_TABLE, Outbox } from './outbox.ts';
import { PORT_PASSES_TABLE } from './ports/passes.ts';
import { REQUEST_LEDGER_STEPS, Repeated, RequestLedger } from './request-ledger.ts';
import { SNAPSHOT_TABLE, Snapshot } from './snapshot.ts';
import { TRACE_TABLE, Trace } from './trace.ts';
import { VITALS_TABLE, Vitals } from './vitals.ts';

/** Numbered by their place. Never edit one that was released; add at the end. */
const MIGRATIONS = [
  EVENT_LOG_TABLE,
  ...REQUEST_LEDGER_STEPS,
  SNAPSHOT_TABLE,
  VITALS_TABLE,
  TRACE_TABLE,
  OUTBOX_TABLE,
  PURSE_TABLES,
  PORT_PASSES_TABLE,
];
const FOLD_PAGE = 500;
const REPORT_KEY = 'report';

/** Who asks again after a lost answer is known by these. */
export type AskedRequest = Pick<CommandRequest, 'requestId' | 'fingerprint'>;

/** Everything that the session's object keeps, and the one way to change it: decide, store, fold, tell. */
export class SessionStore {
  readonly log: EventLog;
  readonly vitals: Vitals;
  readonly trace: Trace;
  readonly outbox: Outbox;
  readonly #storage: DurableObjectStorage;
  readonly #requests: RequestLedger;
  readonly #snapshot: Snapshot;
  readonly #onStored: (events: readonly StoredEvent[]) => void;
  /** Only a cache of the fold: dropped with the object, rebuilt from snapshot and log. */
  #state: SessionState | undefined;
  #reported: string | undefined;

  constructor(storage: DurableObjectStorage, onStored: (events: readonly StoredEvent[]) => void) {
    migrate(storage, MIGRATIONS);
    const { sql } = storage;
    this.#storage = storage;
    this.#onStored = onStored;
    this.log = new EventLog(sql);
    this.vitals = new Vitals(sql);
    this.trace = new Trace(sql);
    this.outbox = new Outbox(sql);
    this.#requests = new RequestLedger(sql);
    this.#snapshot = new Snapshot(sql);
    this.#state = this.#foldFrom(this.#snapshot.read());
    if (this.#state !== undefined)
      log('info', 'session.awake', { session: this.#state.sessionId, seq: this.#state.seq });
  }

  get state(): SessionState | undefined {
    return this.#state;
  }

  summary(): SessionSummary | undefined {
    return this.#state && summarize(this.#state, this.#state.lastActiveAt);
  }

  /**
   * Stores a person's command, its effects and its receipt together, or none of them. A refusal is a value, not an
   * exception: an exception loses its code on the way out of the object.
   */
  execute({ requestId, fingerprint, command }: CommandRequest): CommandResult {
    // Hardly any request is a repetition. Its id is not looked up first: the ledger refuses to take it a second time, and
    // then all is undone and the first answer given.
    try {
      return this.#atomically((store) => {
        const decision = store(command);
        if (decision.kind === 'rejected')
          return this.#requests.find(requestId, fingerprint) ?? decision;
        const promptId = 'prompt' in command ? (command.prompt?.promptId ?? null) : null;
        const receipt = { requestId, seq: this.#state?.seq ?? 0, promptId };
        this.#requests.record(receipt, fingerprint);
        return { kind: 'accepted', receipt };
      });
    } catch (thrown) {
      const earlier =
        thrown instanceof Repeated ? this.#requests.find(requestId, fingerprint) : undefined;
      if (earlier === undefined) throw thrown;
      return earlier;
    }
  }

  /** The answer to a request that was made before; a conflict when its id was used for another one. */
  answered({ requestId, fingerprint }: AskedRequest): CommandResult | undefined {
    return this.#requests.find(requestId, fingerprint);
  }

  /** Stores what a person's request did outside, and that it was done. */
  conclude({ requestId, fingerprint }: AskedRequest, events: readonly SessionEvent[]): void {
    this.#atomically(() => {
      this.#append(events, Date.now());
      const receipt = { requestId, seq: this.#state?.seq ?? 0, promptId: null };
      this.#requests.record(receipt, fingerprint);
    });
  }

  /** Stores what the session's own machinery did or saw. What no longer applies changes nothing. */
  observe(command: SessionCommand): Decision {
    return this.#atomically((store) => store(command));
  }

  /** Stores events that are facts: what the agent said cannot be refused. */
  record(events: readonly SessionEvent[]): void {
    this.#atomically(() => this.#append(events, Date.now()));
  }

  /** Everything was deleted from the storage: begins again with nothing. */
  forget(): void {
    migrate(this.#storage, MIGRATIONS);
    this.vitals.forget();
    this.#snapshot.forget();
    this.outbox.forget();
    this.#state = undefined;
    this.#reported = undefined;
  }

  /** One transaction; watchers hear of it when it is done, and never of what was rolled back. */
  #atomically<Value>(work: (store: (command: SessionCommand) => Decision) => Value): Value {
    const { savedSeq } = this.#snapshot;
    const before = { state: this.#state, reported: this.#reported };
    const told: StoredEvent[] = [];
    this.#pending = told;
    let value: Value;
    try {
      value = this.#storage.transactionSync(() => work((command) => this.#decide(command)));
    } catch (thrown) {
      this.#state = before.state;
      this.#reported = before.reported;
      this.#snapshot.undoTo(savedSeq);
      this.outbox.forget();
      throw thrown;
    } finally {
      this.#pending = undefined;
    }
    // Outside: what is stored stays so, even if telling of it fails.
    if (told.length > 0) this.#onStored(told);
    return value;
  }

  #pending: StoredEvent[] | undefined;

  #decide(command: SessionCommand): Decision {
    const nowMs = Date.now();
    const decision = decide(this.#state, command, nowMs, { retry: DEFAULT_RETRY_POLICY });
    if (decision.kind === 'events') this.#append(decision.events, nowMs);
    return decision;
  }

  #append(events: readonly SessionEvent[], nowMs: number): void {
    if (events.length === 0) return;
    const stored = this.log.append(events, nowMs, this.#state?.seq ?? 0);
    for (const { event } of stored) this.#state = fold(this.#state, event);
    this.#pending?.push(...stored);
    if (this.#state === undefined) return;
    this.#snapshot.keepUp(this.#state);
    this.#report(this.#state, nowMs);
  }

  /** The workspace hears of a change that its lists would show, and of no other. */
  #report(state: SessionState, nowMs: number): void {
    const text = JSON.stringify(summarize(state, 0));
    if (text === this.#reported) return;
    this.#reported = text;
    const report = { version: state.seq, summary: summarize(state, nowMs) };
    this.outbox.put(REPORT_KEY, 'report', report, nowMs);
  }

  #foldFrom(from: SessionState | undefined): SessionState | undefined {
    let state = from;
    let after = from?.seq ?? 0;
    for (;;) {
      const page = this.log.page(after, FOLD_PAGE);
      const last = page.at(-1);
      if (last === undefined) return state;
      state = evolveAll(state, page);
      after = last.seq;
    }
  }
}
