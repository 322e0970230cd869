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
import { DailyBudget } from './daily-budget.ts';
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

/** One Durable Object per deployment: a facade over its tables. Token streams never pass through it. */
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
  readonly #day: DailyBudget;

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
    this.#day = new DailyBudget(this.db, this.#usage);
  }

  identity(): WorkspaceIdentity {
    return readOrCreateIdentity(this.ctx.storage.sql, this.#awakeSince);
  }

  /** The id of the session that this request creates; idempotent. `prewarmed` is the id of a prewarmed sandbox. */
  admitSession(
    requestId: RequestId,
    fingerprint: string,
    prewarmed: SessionId | null = null,
  ): Result<SessionId> {
    return this.transact(() =>
      this.#admissions.admit(requestId, fingerprint, Date.now(), prewarmed),
    );
  }

  /** Called by a session after every change of status. False when a newer report was already stored. */
  reportSession(report: SessionReport): Result<boolean> {
    return this.transact(() => this.#sessions.report(report));
  }

  removeSession(sessionId: SessionId): Result<void> {
    return this.transact(() => this.#sessions.remove(sessionId));
  }

  sessionsOnBranch(branch: string): Result<{ sessionId: SessionId; repository: string }[]> {
    return this.transact(() => this.#sessions.onBranch(branch));
  }

  listSessions(query: SessionQuery): Result<SessionPage> {
    return this.transact(() => this.#sessions.list(query));
  }

  readBoard(): Result<BoardState> {
    return this.transact(() => this.#board.read(this.#workingLimit()));
  }

  createCard(create: CardCreate): Result<Card> {
    return this.transact(() => this.#board.create(create));
  }

  editCard(cardId: CardId, edit: CardEdit): Result<Card> {
    return this.transact(() => this.#board.edit(cardId, edit));
  }

  moveCard(move: CardMove): Result<Card> {
    return this.transact(() => this.#board.move(move));
  }

  removeCard(cardId: CardId): Result<void> {
    return this.transact(() => this.#board.remove(cardId));
  }

  /** Links a task to its session. */
  startCard(cardId: CardId, sessionId: SessionId): Result<Card> {
    return this.transact(() => this.#board.start(cardId, sessionId));
  }

  /** Whether the session may work now; otherwise it keeps its place in the queue by asking again. */
  takeSlot(sessionId: SessionId, askedAt: number): Result<boolean> {
    return this.transact(() =>
      this.#slots.take({ sessionId, askedAt }, this.#workingLimit(), Date.now()),
    );
  }

  isAnyWorking(): Result<boolean> {
    return this.transact(() => this.#slots.isAnyWorking(Date.now()));
  }

  releaseSlot(sessionId: SessionId): Result<void> {
    return this.transact(() => this.#slots.release(sessionId));
  }

  findSetup(question: SetupQuestion): Result<KeptSetup | null> {
    return this.transact(() => new Setups(this.db).find(question, this.#settings.read().settings));
  }

  listSetups(): Result<KeptSetupList> {
    return this.transact(() => new Setups(this.db).list());
  }

  /** Returns the names of setups that the sandbox service can delete. */
  changeSetups(change: SetupChange): Result<string[]> {
    return this.transact(() => new Setups(this.db).change(change, Date.now()));
  }

  listRepositories(): Result<RepositoryList> {
    return this.transact(() => this.#repositories.list());
  }

  createRepository(create: RepositoryCreate): Result<Repository> {
    return this.transact(() => this.#repositories.create(create));
  }

  editRepository(repositoryId: RepositoryId, edit: RepositoryEdit): Result<Repository> {
    return this.transact(() => this.#repositories.edit(repositoryId, edit));
  }

  removeRepository(repositoryId: RepositoryId): Result<void> {
    return this.transact(() => this.#repositories.remove(repositoryId));
  }

  /** The repository at this location; null when it was not added. */
  repositoryAt(location: string): Result<Repository | null> {
    return this.transact(() => this.#repositories.findByLocation(location) ?? null);
  }

  readSettings(): Result<StoredSettings> {
    return this.transact(() => this.#settings.read());
  }

  patchSettings(patch: SettingsPatch, ifMatch: string | undefined): Result<StoredSettings> {
    return this.transact(() => this.#settings.patch(patch, ifMatch));
  }

  replaceSettings(next: Settings, ifMatch: string): Result<StoredSettings> {
    return this.transact(() => this.#settings.replace(next, ifMatch));
  }

  listSecrets(): Result<SecretList> {
    return this.transact(() => this.#secrets.list());
  }

  async writeSecret(ref: SecretRef, value: string): Promise<Result<SecretInfo>> {
    return resultOf(() =>
      this.#secrets.write(ref, value, () => {
        if (ref.repositoryId !== null) this.#repositories.require(ref.repositoryId);
      }),
    );
  }

  removeSecret(ref: SecretRef): Result<void> {
    return this.transact(() => this.#secrets.remove(ref));
  }

  /** For Durable Objects of the control plane only; not reachable by a route. */
  async secretsFor(location: string): Promise<Result<Record<SecretName, string>>> {
    return resultOf(() =>
      this.#secrets.readAll(this.#repositories.findByLocation(location)?.repositoryId ?? null),
    );
  }

  /** Includes the secrets that MCP servers refer to; for Durable Objects of the control plane only, not reachable by a route. */
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
    return this.transact(() => this.#usage.record(entry));
  }

  /** Called by a session once per model call, with settled calls and the new reservation. */
  chargeDay(charge: DayCharge): Result<DayAnswer> {
    return this.transact(() => this.#day.charge(charge, this.#settings.read().settings.budgets));
  }

  readSpending(): Result<Spending> {
    return this.transact(() => this.#day.read(this.#settings.read().settings));
  }

  readUsage(query: UsageQuery): Result<Usage> {
    return this.transact(() => this.#usage.read(query, Date.now()));
  }

  readCalibration(): Result<Calibration> {
    return this.transact(() => new Outcomes(this.db).read());
  }

  /** Called by webhooks: the pull requests of these sessions were reverted. */
  markReverted(sessionIds: SessionId[]): Result<void> {
    return this.transact(() => new Outcomes(this.db).revert(sessionIds));
  }

  readStats(): Result<Stats> {
    return this.transact(() => ({ ...readStats(this.db), watchers: this.live.count() }));
  }

  /** Accepts a socket of the live list. RPC cannot carry a socket, so the Worker sends a request. */
  override fetch(request: Request): Response {
    const { after, credentials } = readLiveRequest(request);
    const result = this.transact(() =>
      this.live.accept(this.identity().workspaceId, after, credentials),
    );
    if (!result.ok)
      return Response.json(
        { error: result.error },
        {
          status: httpStatusOf(result.error.code),
        },
      );
    return new Response(null, { status: 101, webSocket: result.value });
  }

  /** Watchers send only pings, which the platform answers; anything else is an error. */
  override webSocketMessage(socket: WebSocket): void {
    closeSocket(socket, 'bad-message');
  }

  #workingLimit(): number {
    return this.#settings.read().settings.concurrency.maxWorking;
  }
}
