import type { AgentGrant } from '@ship/core';
import {
  type Board as BoardState,
  type Calibration,
  type Card,
  type CardCreate,
  type CardEdit,
  type CardId,
  type CardMove,
  type KeptSetupList,
  type Repository,
  type RepositoryCreate,
  type RepositoryEdit,
  type RepositoryId,
  type RepositoryList,
  type RequestId,
  type SecretInfo,
  type SecretList,
  type SecretName,
  type SecretRef,
  type SessionId,
  type SessionPage,
  type SessionQuery,
  type SessionReport,
  type Settings,
  type SettingsPatch,
  type Spending,
  type Stats,
  type Usage,
  type UsageEntry,
  type UsageQuery,
  httpStatusOf,
} from '@ship/protocol';
import { closeSocket } from '../platform/socket.ts';
import { type SandboxBindings, defaultProvider } from '../sandbox/services.ts';
import type { KeptSetup, SetupChange, SetupQuestion } from '../setups/port.ts';
import { Admissions } from './admissions.ts';
import { readAgentGrant } from './agent-grant.ts';
import type { DayAnswer, DayCharge } from '../models/budget/port.ts';
import { Board } from './board.ts';
import { DaySpending } from './day-budget.ts';
import { type WorkspaceIdentity, readOrCreateIdentity } from './identity.ts';
import { WorkspaceKeys } from './keys.ts';
import { readLiveRequest } from './live-request.ts';
import { type Result, resultOf } from '../platform/result.ts';
import { Outcomes } from './outcomes.ts';
import { Repositories } from './repositories.ts';
import { Secrets } from './secrets.ts';
import { SessionIndex } from './sessions.ts';
import { Setups } from './setups.ts';
import { Slots } from './slots.ts';
import { SettingsStore, type StoredSettings } from './settings.ts';
import { readStats } from './stats.ts';
import { UsageTotals } from './usage.ts';

export interface WorkspaceEnv extends SandboxBindings {
  /** Hex keys for secrets at rest, separated by commas, newest first. */
  SECRETS_KEYS?: string | null;
}

/** One per team: a shell over the parts that keep its tables. Token streams never pass here. */
export class Workspace extends WorkspaceKeys<WorkspaceEnv> {
  readonly #awakeSince = Date.now();
  readonly #admissions: Admissions;
  readonly #board: Board;
  readonly #sessions: SessionIndex;
  readonly #repositories: Repositories;
  readonly #settings: SettingsStore;
  readonly #secrets: Secrets;
  readonly #usage: UsageTotals;
  readonly #slots: Slots;
  readonly #day: DaySpending;

  constructor(ctx: DurableObjectState, env: WorkspaceEnv) {
    super(ctx, env);
    this.#admissions = new Admissions(this.db);
    this.#board = new Board(this.db, this.changes);
    this.#sessions = new SessionIndex(this.db, this.changes, this.#board);
    this.#repositories = new Repositories(this.db, this.changes);
    const sandboxProvider = defaultProvider(env);
    this.#settings = new SettingsStore(this.db, this.changes, { sandboxProvider });
    this.#secrets = new Secrets(this.db, this.keyring);
    this.#usage = new UsageTotals(this.db);
    this.#slots = new Slots(this.db);
    this.#day = new DaySpending(this.db, this.#usage);
  }

  identity(): WorkspaceIdentity {
    return readOrCreateIdentity(this.ctx.storage.sql, this.#awakeSince);
  }

  /** The id of the session that this request makes, now or when it was made first: that of the place that `waiting` for it. */
  admitSession(
    requestId: RequestId,
    fingerprint: string,
    waiting: SessionId | null = null,
  ): Result<SessionId> {
    return this.do(() => this.#admissions.admit(requestId, fingerprint, Date.now(), waiting));
  }

  /** From a session's object, after every change of status. False when it came too late to matter. */
  reportSession(report: SessionReport): Result<boolean> {
    return this.do(() => this.#sessions.report(report));
  }

  removeSession(sessionId: SessionId): Result<void> {
    return this.do(() => this.#sessions.remove(sessionId));
  }

  sessionsOnBranch(branch: string): Result<{ sessionId: SessionId; repository: string }[]> {
    return this.do(() => this.#sessions.onBranch(branch));
  }

  listSessions(query: SessionQuery): Result<SessionPage> {
    return this.do(() => this.#sessions.list(query));
  }

  readBoard(): Result<BoardState> {
    return this.do(() => this.#board.read(this.#workingLimit()));
  }

  createCard(create: CardCreate): Result<Card> {
    return this.do(() => this.#board.create(create));
  }

  editCard(cardId: CardId, edit: CardEdit): Result<Card> {
    return this.do(() => this.#board.edit(cardId, edit));
  }

  moveCard(move: CardMove): Result<Card> {
    return this.do(() => this.#board.move(move));
  }

  removeCard(cardId: CardId): Result<void> {
    return this.do(() => this.#board.remove(cardId));
  }

  /** Links a drafted task to the session that will do it. */
  startCard(cardId: CardId, sessionId: SessionId): Result<Card> {
    return this.do(() => this.#board.start(cardId, sessionId));
  }

  /** Whether the session may work now; if not, it keeps its place in line by asking again. */
  takeSlot(sessionId: SessionId, askedAt: number): Result<boolean> {
    return this.do(() =>
      this.#slots.take({ sessionId, askedAt }, this.#workingLimit(), Date.now()),
    );
  }

  isAnyWorking(): Result<boolean> {
    return this.do(() => this.#slots.isAnyWorking(Date.now()));
  }

  releaseSlot(sessionId: SessionId): Result<void> {
    return this.do(() => this.#slots.release(sessionId));
  }

  findSetup(spot: SetupQuestion): Result<KeptSetup | null> {
    return this.do(() => new Setups(this.db).find(spot, this.#settings.read().settings));
  }

  listSetups(): Result<KeptSetupList> {
    return this.do(() => new Setups(this.db).list());
  }

  /** Answers with the names that the sandbox service may forget. */
  changeSetups(change: SetupChange): Result<string[]> {
    return this.do(() => new Setups(this.db).change(change, Date.now()));
  }

  listRepositories(): Result<RepositoryList> {
    return this.do(() => this.#repositories.list());
  }

  createRepository(create: RepositoryCreate): Result<Repository> {
    return this.do(() => this.#repositories.create(create));
  }

  editRepository(repositoryId: RepositoryId, edit: RepositoryEdit): Result<Repository> {
    return this.do(() => this.#repositories.edit(repositoryId, edit));
  }

  removeRepository(repositoryId: RepositoryId): Result<void> {
    return this.do(() => this.#repositories.remove(repositoryId));
  }

  /** How to prepare and verify what a session works on; null when nobody added that location. */
  repositoryAt(location: string): Result<Repository | null> {
    return this.do(() => this.#repositories.findByLocation(location) ?? null);
  }

  readSettings(): Result<StoredSettings> {
    return this.do(() => this.#settings.read());
  }

  patchSettings(patch: SettingsPatch, ifMatch: string | undefined): Result<StoredSettings> {
    return this.do(() => this.#settings.patch(patch, ifMatch));
  }

  replaceSettings(next: Settings, ifMatch: string): Result<StoredSettings> {
    return this.do(() => this.#settings.replace(next, ifMatch));
  }

  listSecrets(): Result<SecretList> {
    return this.do(() => this.#secrets.list());
  }

  async writeSecret(ref: SecretRef, value: string): Promise<Result<SecretInfo>> {
    return resultOf(() =>
      this.#secrets.write(ref, value, () => {
        if (ref.repositoryId !== null) this.#repositories.require(ref.repositoryId);
      }),
    );
  }

  removeSecret(ref: SecretRef): Result<void> {
    return this.do(() => this.#secrets.remove(ref));
  }

  /** For the control plane's own objects only: no route leads here. */
  async secretsFor(location: string): Promise<Result<Record<SecretName, string>>> {
    return resultOf(() =>
      this.#secrets.readAll(this.#repositories.findByLocation(location)?.repositoryId ?? null),
    );
  }

  /** With the secrets that its servers refer to, for the control plane's own objects only: no route leads here. */
  async agentGrantFor(location: string | null): Promise<Result<AgentGrant>> {
    const tables = {
      settings: this.#settings,
      repositories: this.#repositories,
      secrets: this.#secrets,
    };
    return resultOf(() => readAgentGrant(tables, location));
  }

  async rotateSecrets(): Promise<Result<number>> {
    return resultOf(async () => (await this.#secrets.rotate()) + (await this.rotateKeys()));
  }

  recordUsage(entry: UsageEntry): Result<boolean> {
    return this.do(() => this.#usage.record(entry));
  }

  /** From a session's object, once per model call: what ended and what is to begin. */
  chargeDay(charge: DayCharge): Result<DayAnswer> {
    return this.do(() => this.#day.charge(charge, this.#settings.read().settings.budgets));
  }

  readSpending(): Result<Spending> {
    return this.do(() => this.#day.read(this.#settings.read().settings));
  }

  readUsage(query: UsageQuery): Result<Usage> {
    return this.do(() => this.#usage.read(query, Date.now()));
  }

  readCalibration(): Result<Calibration> {
    return this.do(() => new Outcomes(this.db).read());
  }

  /** From the forge's news: what these sessions brought was taken back. */
  markReverted(sessionIds: SessionId[]): Result<void> {
    return this.do(() => new Outcomes(this.db).revert(sessionIds));
  }

  readStats(): Result<Stats> {
    return this.do(() => ({ ...readStats(this.db), watchers: this.live.count() }));
  }

  /** The live list's socket: a call cannot carry one, so this comes as a request, from our own Worker only. */
  override fetch(request: Request): Response {
    const { after, credentials } = readLiveRequest(request);
    const outcome = this.do(() =>
      this.live.accept(this.identity().workspaceId, after, credentials),
    );
    if (!outcome.ok)
      return Response.json(
        { error: outcome.error },
        {
          status: httpStatusOf(outcome.error.code),
        },
      );
    return new Response(null, { status: 101, webSocket: outcome.value });
  }

  /** Nothing but pings comes from a watcher, and those do not get here. */
  override webSocketMessage(socket: WebSocket): void {
    closeSocket(socket, 'bad-message');
  }

  #workingLimit(): number {
    return this.#settings.read().settings.concurrency.maxWorking;
  }
}
