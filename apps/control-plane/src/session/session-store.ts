import {
  DEFAULT_RETRY_POLICY,
  type Decision,
  decide,
  evolveAll,
  fold,
  hasSameSummary,
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
import { BUDGET_TABLES } from '../models/budget/tables.ts';
import { log } from '../platform/log.ts';
import { migrate } from '../platform/migrate.ts';
import { EVENT_LOG_TABLE, EventLog, type StoredEvent, numbered } from './event-log.ts';
import { OUTBOX_TABLE, Outbox } from './outbox.ts';
import { PASS_CREDENTIALS_STEP, PORT_PASSES_TABLE } from './ports/passes.ts';
import {
  ANSWERED_EVENTS_STEP,
  type LedgerEntry,
  REQUEST_LEDGER_STEPS,
  Repeated,
  RequestLedger,
} from './request-ledger.ts';
import { SNAPSHOT_TABLE, Snapshot } from './snapshot.ts';
import { TRACE_TABLE, Trace } from './trace.ts';
import { RUNTIME_METADATA_TABLE, RuntimeMetadata } from './runtime-metadata.ts';

/** Numbered by position. Never edit a released one; append. */
const MIGRATIONS = [
  EVENT_LOG_TABLE,
  ...REQUEST_LEDGER_STEPS,
  SNAPSHOT_TABLE,
  RUNTIME_METADATA_TABLE,
  TRACE_TABLE,
  OUTBOX_TABLE,
  BUDGET_TABLES,
  PORT_PASSES_TABLE,
  ANSWERED_EVENTS_STEP,
  PASS_CREDENTIALS_STEP,
];
const FOLD_PAGE = 500;
const REPORT_KEY = 'report';

/** The idempotency key of a request, by which a client that lost the answer is recognized. */
export type RequestKey = Pick<CommandRequest, 'requestId' | 'fingerprint'>;

type Answer = Omit<LedgerEntry, 'seq'>;

/** The session's storage, and the one way to change it: decide, fold, store, broadcast. */
export class SessionStore {
  readonly log: EventLog;
  readonly metadata: RuntimeMetadata;
  readonly trace: Trace;
  readonly outbox: Outbox;
  readonly #storage: DurableObjectStorage;
  readonly #requests: RequestLedger;
  readonly #snapshot: Snapshot;
  readonly #onStored: (events: readonly StoredEvent[]) => void;
  /** A cache of the fold: lost with the object, rebuilt from snapshot and log. */
  #state: SessionState | undefined;
  #reported: string | undefined;

  constructor(storage: DurableObjectStorage, onStored: (events: readonly StoredEvent[]) => void) {
    migrate(storage, MIGRATIONS);
    const { sql } = storage;
    this.#storage = storage;
    this.#onStored = onStored;
    this.log = new EventLog(sql);
    this.metadata = new RuntimeMetadata(sql);
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
   * Stores a person's command, its effects and its receipt atomically. A refusal is a value, not an exception: an exception
   * loses its code when it leaves the object.
   */
  execute({ requestId, fingerprint, command }: CommandRequest): CommandResult {
    const asked = { requestId, fingerprint };
    const nowMs = Date.now();
    const decision = this.#decide(command, nowMs);
    if (decision.kind === 'rejected') return this.answered(asked) ?? decision;
    const promptId = 'prompt' in command ? (command.prompt?.promptId ?? null) : null;
    try {
      this.#commit(decision.events, nowMs, { ...asked, promptId });
      return { kind: 'accepted', receipt: { requestId, seq: this.#state?.seq ?? 0, promptId } };
    } catch (thrown) {
      const earlier = thrown instanceof Repeated ? this.answered(asked) : undefined;
      if (earlier === undefined) throw thrown;
      return earlier;
    }
  }

  /** The answer to an earlier request; a conflict when its id was used for another one. */
  answered({ requestId, fingerprint }: RequestKey): CommandResult | undefined {
    return this.#requests.find(requestId, fingerprint);
  }

  /** Stores the outcome of a request that acted outside, together with its receipt. */
  conclude(asked: RequestKey, events: readonly SessionEvent[]): void {
    this.#commit(events, Date.now(), { ...asked, promptId: null });
  }

  /** Stores what the session itself did or observed. An observation that no longer applies changes nothing. */
  observe(command: SessionCommand): Decision {
    const nowMs = Date.now();
    const decision = this.#decide(command, nowMs);
    if (decision.kind === 'events') this.#commit(decision.events, nowMs);
    return decision;
  }

  /** Stores facts: what the agent said cannot be refused. */
  record(events: readonly SessionEvent[]): void {
    this.#commit(events, Date.now());
  }

  /** Starts over after the storage was deleted. */
  forget(): void {
    migrate(this.#storage, MIGRATIONS);
    this.metadata.forget();
    this.#snapshot.forget();
    this.outbox.forget();
    this.#state = undefined;
    this.#reported = undefined;
  }

  #decide(command: SessionCommand, nowMs: number): Decision {
    return decide(this.#state, command, nowMs, { retry: DEFAULT_RETRY_POLICY });
  }

  /**
   * Stores everything or nothing. Memory changes, and watchers are notified, only after the write: neither ever sees what was
   * rolled back.
   */
  #commit(events: readonly SessionEvent[], nowMs: number, asked?: Answer): void {
    const before = this.#state;
    const stored = numbered(events, nowMs, before?.seq ?? 0);
    let after = before;
    for (const { event } of stored) after = fold(after, event);
    const receipt = asked && { ...asked, seq: after?.seq ?? 0 };
    const shown = this.#changedSummary(before, after);
    const snapshot = after !== undefined && this.#snapshot.isDue(after) ? after : undefined;
    const isSingle = stored.length <= 1 && shown === undefined && snapshot === undefined;
    if (isSingle) this.#writeSingle(stored[0], receipt);
    else
      this.#storage.transactionSync(() => {
        if (receipt !== undefined) this.#requests.record(receipt);
        for (const each of stored) this.log.append(each);
        if (shown !== undefined && after !== undefined)
          this.outbox.put(REPORT_KEY, 'report', reportOf(after, nowMs), nowMs);
        if (snapshot !== undefined) this.#snapshot.write(snapshot);
      });
    this.#state = after;
    this.#reported = shown ?? this.#reported;
    if (snapshot !== undefined) this.#snapshot.saved(snapshot);
    // Last: events stay stored even if the broadcast fails.
    if (stored.length > 0) this.#onStored(stored);
  }

  /** A single statement is atomic without a transaction. */
  #writeSingle(event: StoredEvent | undefined, receipt: LedgerEntry | undefined): void {
    if (receipt === undefined) {
      if (event !== undefined) this.log.append(event);
    } else if (event === undefined) this.#requests.record(receipt);
    else this.#requests.recordWith(event, receipt);
  }

  /** The summary for the workspace if its lists would show a difference, else undefined. */
  #changedSummary(
    before: SessionState | undefined,
    after: SessionState | undefined,
  ): string | undefined {
    if (after === undefined || after === before) return undefined;
    const isKnown = this.#reported !== undefined && before !== undefined;
    if (isKnown && hasSameSummary(before, after)) return undefined;
    const text = JSON.stringify(summarize(after, 0));
    return text === this.#reported ? undefined : text;
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

function reportOf(state: SessionState, nowMs: number) {
  return { version: state.seq, summary: summarize(state, nowMs) };
}
