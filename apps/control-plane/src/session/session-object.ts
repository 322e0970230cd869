import { DurableObject } from 'cloudflare:workers';
import {
  type CommandRequest,
  type BaseUpdate,
  type Diff,
  type EditorTarget,
  type EditorView,
  type EnvironmentCheck,
  type EnvironmentCheckCreate,
  type FolderListing,
  type FoundFiles,
  type HistoryQuery,
  type PortList,
  type PullRequestView,
  type SandboxView,
  type SessionId,
  type SessionView,
  type Trace,
  type TurnId,
  fail,
  httpStatusOf,
} from '@ship/protocol';
import { type CapabilityBearer, evidenceOf, mayUseCapability } from '@ship/core';
import type { CallCost, ModelCall, Reservation } from '../models/budget/port.ts';
import type { Credential } from '../platform/credential.ts';
import { type Result, resultOf, refusal } from '../platform/result.ts';
import type { SandboxRef } from '../sandbox/connect.ts';
import { Alarm } from './alarm.ts';
import { CAPABILITY_ENDED } from './capability-ended.ts';
import { Reconciler } from './reconciler.ts';
import { EditorService } from './editor/index.ts';
import { EnvironmentCheckRunner } from './environment-check.ts';
import { Access } from './pull-request/access.ts';
import type { FileContent } from './pull-request/files.ts';
import { PullRequestService, type PullRequestChange } from './pull-request/index.ts';
import { HelperSandboxes } from './helper-sandboxes.ts';
import type { SessionParts } from './parts.ts';
import { type OpenPort, PortProxy } from './ports/index.ts';
import { BudgetService } from './budget-service.ts';
import { PushQuota } from './push-quota.ts';
import { Removal } from './removal.ts';
import { type SandboxAction, SandboxController } from './sandbox-controller.ts';
import { type RequestKey, SessionStore } from './session-store.ts';
import { TurnSupervisor } from './turn-supervisor.ts';
import { readWatchRequest } from './watch-request.ts';
import { Watchers } from './watchers.ts';
import { Workshop } from './workshop/index.ts';

export type SessionStub = DurableObjectStub<SessionObject<unknown>>;

/** The Durable Object of one session: wires its components and contains no rules. */
export abstract class SessionObject<Env> extends DurableObject<Env> {
  readonly #store: SessionStore;
  readonly #watchers: Watchers;
  readonly #turns: TurnSupervisor;
  readonly #git: PullRequestService;
  readonly #reconciler: Reconciler;
  readonly #sandbox: SandboxController;
  readonly #ports: PortProxy;
  readonly #editor: EditorService;
  readonly #budget: BudgetService;
  readonly #pushQuota: PushQuota;
  readonly #removal: Removal;
  readonly #alarm: Alarm;
  readonly #helpers = new HelperSandboxes();
  readonly #environmentCheck: EnvironmentCheckRunner;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const given = this.parts(env);
    const parts = { ...given, sandboxes: this.#helpers.tracking(given.sandboxes) };
    this.#environmentCheck = new EnvironmentCheckRunner(parts);
    this.#store = new SessionStore(ctx.storage, (stored) => {
      this.#watchers.push(stored);
      this.#turns.onStateChange();
      this.#schedule();
    });
    this.#watchers = new Watchers(ctx, this.#store);
    this.#turns = new TurnSupervisor(this.#store, this.#workshop(parts), {
      onIdle: () => {
        this.#schedule();
        this.#git.onTurnEnd();
      },
      isSandboxRunning: () =>
        this.#reconciler.lifecycle.isRunning(() => this.#reconciler.settings()),
    });
    this.#alarm = new Alarm(ctx.storage);
    const preventEviction = () => this.#reconciler.preventEviction();
    const access = new Access(
      this.#store,
      parts,
      () => this.#reconciler.settings(),
      preventEviction,
    );
    this.#git = new PullRequestService(access, {
      isTurnDriven: () => this.#turns.isBusy,
      wake: () => this.#sandbox.do('resume'),
      onIdle: () => this.#schedule(),
      verifyAgain: (stop) => this.#turns.verifyAgain(stop),
    });
    this.#reconciler = new Reconciler(
      this.#store,
      parts,
      this.#watchers,
      this.#turns,
      this.#alarm,
      this.#git,
    );
    this.#budget = new BudgetService(
      ctx.storage.sql,
      this.#store,
      () => this.#reconciler.settings(),
      {
        charge: (charge) => parts.workspace.chargeDay(charge),
      },
    );
    this.#pushQuota = new PushQuota(this.#store.metadata);
    this.#sandbox = new SandboxController(this.#store, this.#reconciler);
    const service = async () => {
      await preventEviction();
      return this.#reconciler.lifecycle.portOf(await this.#reconciler.settings());
    };
    this.#ports = new PortProxy(ctx.storage.sql, this.#store, service, parts.workspace);
    this.#editor = new EditorService(this.#store, service, parts.editorHost);
    this.#removal = new Removal(ctx.storage, this.#store, this.#watchers, parts);
  }

  /** The object's dependencies besides its own storage; the composition root provides them. */
  protected abstract parts(env: Env): SessionParts;

  /**
   * The answer leaves after the command and its alarm are on disk. It is the JSON text of a CommandResult: for an object the
   * RPC layer adds a handle for its disposal, which costs more than the rest of the call.
   */
  execute(request: CommandRequest): string {
    this.#reconciler.onCommand(request.command);
    return JSON.stringify(this.#store.execute(request));
  }

  view(): Result<SessionView> {
    return this.#read(({ state, summary }) => ({ summary, state, evidence: evidenceOf(state) }));
  }

  /** A page of the log as the JSON text of a HistoryPage: its events are text already. */
  history({ after, before, limit }: HistoryQuery): Result<string> {
    return this.#read(({ state: { seq } }) => {
      const texts =
        after === undefined
          ? this.#store.log.textsBefore(before ?? seq + 1, limit)
          : this.#store.log.texts(after, limit).texts;
      return `{"events":[${texts.join(',')}],"newestSeq":${seq}}`;
    });
  }

  readTrace(): Result<Trace> {
    return this.#read(({ state: { sessionId } }) => ({
      sessionId,
      spans: this.#store.trace.read(),
    }));
  }

  sandbox(action: SandboxAction): Promise<Result<SandboxView>> {
    return resultOf(() => this.#sandbox.do(action));
  }

  /** For terminals and files, which bypass this object: the sandbox to connect to, awake. */
  enterSandbox(wake: boolean): Promise<Result<SandboxRef>> {
    return resultOf(() => this.#sandbox.enter(wake));
  }

  diff(turn: TurnId | undefined): Promise<Result<Diff>> {
    return resultOf(() => this.#git.diff(turn));
  }

  pullRequestDiff(): Promise<Result<Diff>> {
    return resultOf(() => this.#git.pullRequestDiff());
  }

  listFolder(path: string): Promise<Result<FolderListing>> {
    return resultOf(() => this.#git.folder(path));
  }

  searchFiles(query: string): Promise<Result<FoundFiles>> {
    return resultOf(() => this.#git.search(query));
  }

  readFile(path: string): Promise<Result<FileContent>> {
    return resultOf(() => this.#git.file(path));
  }

  listPorts(): Promise<Result<PortList>> {
    return resultOf(() => this.#ports.list());
  }

  portTicket(
    port: number,
    credentials: Credential[],
  ): Promise<Result<{ ticket: string; expiresAt: number }>> {
    return resultOf(() => this.#ports.ticket(port, credentials));
  }

  redeemPortTicket(port: number, ticket: string): Promise<Result<string>> {
    return resultOf(() => this.#ports.redeem(port, ticket));
  }

  openPort(port: number, cookies: readonly string[]): Promise<Result<OpenPort>> {
    return resultOf(() => this.#ports.open(port, cookies));
  }

  editor(action: 'look' | 'open'): Promise<Result<EditorView>> {
    return resultOf(() => this.#editor[action]());
  }

  showInEditor(target: EditorTarget): Promise<Result<boolean>> {
    return resultOf(() => this.#editor.show(target));
  }

  pullRequest(): Promise<Result<PullRequestView>> {
    return resultOf(() => this.#git.pullRequest());
  }

  changePullRequest(
    asked: RequestKey,
    change: PullRequestChange,
  ): Promise<Result<PullRequestView>> {
    return resultOf(() => this.#git.change(asked, change));
  }

  updateFromBase(asked: RequestKey): Promise<Result<BaseUpdate>> {
    return resultOf(() => this.#git.updateFromBase(asked));
  }

  /** A webhook about this session's branch arrived. The state is read from the forge itself. */
  observeForge(): void {
    if (this.#store.state !== undefined) this.ctx.waitUntil(this.#git.observe());
  }

  /** The model gateway calls this before every model call. */
  async reserveCall(
    call: ModelCall,
    bearer: CapabilityBearer | null,
  ): Promise<Result<Reservation>> {
    if (bearer !== null && !mayUseCapability(this.#store.state, bearer)) return CAPABILITY_ENDED;
    return this.#budget.reserve(call);
  }

  /** The git gateway calls this before every request. Sandboxes that fetch for later sessions may not push. */
  mayUseGit(bearer: CapabilityBearer, use: 'fetch' | 'push'): boolean {
    if (use === 'fetch' && this.#environmentCheck.mayFetch(bearer)) return true;
    const helpers = use === 'fetch' ? this.#helpers.ids : undefined;
    return mayUseCapability(this.#store.state, bearer, helpers);
  }

  /** Runs under an id that no session has: a check needs an object that its sandbox's capability names, and no log. */
  startEnvironmentCheck(
    checkId: SessionId,
    asked: EnvironmentCheckCreate,
  ): Promise<Result<EnvironmentCheck>> {
    return resultOf(async () => {
      this.ctx.waitUntil(this.#environmentCheck.start(checkId, asked));
      return this.#environmentCheck.check;
    });
  }

  environmentCheck(): Promise<Result<EnvironmentCheck>> {
    return resultOf(async () => this.#environmentCheck.check);
  }

  /** The git gateway calls this before it forwards bytes of a push. */
  takePushBytes(bytes: number, limitBytes: number): number {
    return this.#pushQuota.take(bytes, limitBytes);
  }

  returnPushBytes(bytes: number): void {
    this.#pushQuota.giveBack(bytes);
  }

  settleCall(callId: string, cost: CallCost): Promise<void> {
    return this.#budget.settle(callId, cost);
  }

  /** Closes the session, deletes what it has outside, then its log. Idempotent. */
  async remove(by: string): Promise<void> {
    this.#removal.begin(by);
    await this.#reconciler.schedule();
    await this.#removal.finish();
  }

  /** Accepts a watcher's socket or stream: RPC cannot carry one, so it arrives as a request, from Ship's own Worker only. */
  override fetch(request: Request): Response {
    const outcome = this.#read(({ state: { sessionId } }) =>
      this.#watchers.accept(sessionId, readWatchRequest(request), request.signal),
    );
    if (outcome.ok) {
      this.#schedule();
      return outcome.value;
    }
    const { error } = outcome;
    return Response.json({ error }, { status: httpStatusOf(error.code) });
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    this.#watchers.receive(socket, message);
  }

  override webSocketClose(socket: WebSocket): void {
    this.#watchers.left(socket);
    this.#schedule();
  }

  override webSocketError(socket: WebSocket): void {
    this.webSocketClose(socket);
  }

  override async alarm(): Promise<void> {
    await this.#reconciler.onAlarm();
    await this.#removal.finish();
  }

  #workshop(parts: SessionParts): Workshop | undefined {
    if (parts.workshop === undefined) return undefined;
    return new Workshop(parts, parts.workshop, {
      store: this.#store,
      settings: () => this.#reconciler.settings(),
      live: (event) => this.#watchers.pushLive([event]),
      end: (turn, end) => this.#turns.end(turn, end),
      budget: () => this.#budget,
    });
  }

  #schedule(): void {
    const reconciling = this.#reconciler.schedule();
    if (reconciling !== undefined) this.ctx.waitUntil(reconciling);
  }

  #read<Value>(read: (known: SessionView) => Value): Result<Value> {
    try {
      const state = this.#store.state;
      const summary = this.#store.summary();
      if (state === undefined || summary === undefined)
        return fail('not-found', 'There is no such session.', 'List the sessions and pick one.');
      return { ok: true, value: read({ state, summary }) };
    } catch (thrown) {
      return refusal(thrown);
    }
  }
}
