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
import type { SandboxEntry } from '../sandbox/doors.ts';
import { Alarm } from './alarm.ts';
import { CAPABILITY_ENDED } from './capability-ended.ts';
import { Driver } from './driver.ts';
import { EditorDesk } from './editor/index.ts';
import { EnvironmentCheckRunner } from './environment-check.ts';
import { Access } from './git-desk/access.ts';
import type { FileContent } from './git-desk/files.ts';
import { GitDesk, type PullRequestChange } from './git-desk/index.ts';
import { HelperSandboxes } from './helper-sandboxes.ts';
import type { SessionParts } from './parts.ts';
import { type OpenPort, PortDesk } from './ports/index.ts';
import { PurseDesk } from './purse-desk.ts';
import { PushQuota } from './push-quota.ts';
import { Removal } from './removal.ts';
import { type SandboxAction, SandboxDesk } from './sandbox-desk.ts';
import { type AskedRequest, SessionStore } from './session-store.ts';
import { TurnDesk } from './turn-desk.ts';
import { readWatchRequest } from './watch-request.ts';
import { Watchers } from './watchers.ts';
import { Workshop } from './workshop/index.ts';

export type SessionStub = DurableObjectStub<SessionActor<unknown>>;

/** One per session: a shell that wires its parts together and holds no rule of its own. */
export abstract class SessionActor<Env> extends DurableObject<Env> {
  readonly #store: SessionStore;
  readonly #watchers: Watchers;
  readonly #turns: TurnDesk;
  readonly #git: GitDesk;
  readonly #driver: Driver;
  readonly #sandbox: SandboxDesk;
  readonly #ports: PortDesk;
  readonly #editor: EditorDesk;
  readonly #purse: PurseDesk;
  readonly #pushQuota: PushQuota;
  readonly #removal: Removal;
  readonly #alarm: Alarm;
  readonly #helpers = new HelperSandboxes();
  readonly #environmentCheck: EnvironmentCheckRunner;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const given = this.parts(env);
    const parts = { ...given, sandboxes: this.#helpers.noting(given.sandboxes) };
    this.#environmentCheck = new EnvironmentCheckRunner(parts);
    this.#store = new SessionStore(ctx.storage, (stored) => {
      this.#watchers.push(stored);
      this.#turns.listen();
      this.#kick();
    });
    this.#watchers = new Watchers(ctx, this.#store);
    this.#turns = new TurnDesk(this.#store, this.#workshop(parts), {
      onIdle: () => {
        this.#kick();
        this.#git.onTurnEnd();
      },
      isSandboxThere: () => this.#driver.lifecycle.isThere(() => this.#driver.settings()),
    });
    this.#alarm = new Alarm(ctx.storage);
    const keepMemory = () => this.#driver.keepSandboxMemory();
    const access = new Access(this.#store, parts, () => this.#driver.settings(), keepMemory);
    this.#git = new GitDesk(access, {
      isTurnDriven: () => this.#turns.isBusy,
      wake: () => this.#sandbox.do('resume'),
      onIdle: () => this.#kick(),
      verifyAgain: (stop) => this.#turns.verifyAgain(stop),
    });
    this.#driver = new Driver(
      this.#store,
      parts,
      this.#watchers,
      this.#turns,
      this.#alarm,
      this.#git,
    );
    this.#purse = new PurseDesk(ctx.storage.sql, this.#store, () => this.#driver.settings(), {
      charge: (charge) => parts.workspace.chargeDay(charge),
    });
    this.#pushQuota = new PushQuota(this.#store.vitals);
    this.#sandbox = new SandboxDesk(this.#store, this.#driver);
    const service = async () => {
      await keepMemory();
      return this.#driver.lifecycle.portOf(await this.#driver.settings());
    };
    this.#ports = new PortDesk(ctx.storage.sql, this.#store, service, parts.workspace);
    this.#editor = new EditorDesk(this.#store, service, parts.editorHost);
    this.#removal = new Removal(ctx.storage, this.#store, this.#watchers, parts);
  }

  /** What it is made of besides its own storage; the composition root says. */
  protected abstract parts(env: Env): SessionParts;

  /**
   * The answer leaves after the disk has the command and the alarm that sees it through. It is the JSON text of a
   * CommandResult: an object is given a handle to dispose of it on its way, which costs more than the rest of it.
   */
  execute(request: CommandRequest): string {
    this.#driver.heed(request.command);
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

  /** For terminals and files, which do not pass through here: where they find the sandbox, awake. */
  enterSandbox(wake: boolean): Promise<Result<SandboxEntry>> {
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
    asked: AskedRequest,
    change: PullRequestChange,
  ): Promise<Result<PullRequestView>> {
    return resultOf(() => this.#git.change(asked, change));
  }

  updateFromBase(asked: AskedRequest): Promise<Result<BaseUpdate>> {
    return resultOf(() => this.#git.updateFromBase(asked));
  }

  /** The forge sent news of this session's branch. What it says is asked of the forge itself. */
  observeForge(): void {
    if (this.#store.state !== undefined) this.ctx.waitUntil(this.#git.observe());
  }

  /** From the model gateway, before and after every call. */
  async reserveCall(
    call: ModelCall,
    bearer: CapabilityBearer | null,
  ): Promise<Result<Reservation>> {
    if (bearer !== null && !mayUseCapability(this.#store.state, bearer)) return CAPABILITY_ENDED;
    return this.#purse.reserve(call);
  }

  /** From the git gateway, before every request. Sandboxes that fetch for later sessions may not push. */
  mayUseGit(bearer: CapabilityBearer, use: 'fetch' | 'push'): boolean {
    if (use === 'fetch' && this.#environmentCheck.mayFetch(bearer)) return true;
    const helpers = use === 'fetch' ? this.#helpers.ids : undefined;
    return mayUseCapability(this.#store.state, bearer, helpers);
  }

  /** Under an id that no session has: a check needs an object that its sandbox's capability names, and no log. */
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

  /** From the git gateway, before bytes of a push pass. */
  takePushBytes(bytes: number, limitBytes: number): number {
    return this.#pushQuota.take(bytes, limitBytes);
  }

  returnPushBytes(bytes: number): void {
    this.#pushQuota.giveBack(bytes);
  }

  settleCall(callId: string, cost: CallCost): Promise<void> {
    return this.#purse.settle(callId, cost);
  }

  /** Closes the session, ends what it has outside, then forgets it. Asking again is no error. */
  async remove(by: string): Promise<void> {
    this.#removal.begin(by);
    await this.#driver.kick();
    await this.#removal.finish();
  }

  /** A watcher's socket or stream: a call cannot carry one, so this comes as a request, from our own Worker only. */
  override fetch(request: Request): Response {
    const outcome = this.#read(({ state: { sessionId } }) =>
      this.#watchers.accept(sessionId, readWatchRequest(request), request.signal),
    );
    if (outcome.ok) {
      this.#kick();
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
    this.#kick();
  }

  override webSocketError(socket: WebSocket): void {
    this.webSocketClose(socket);
  }

  override async alarm(): Promise<void> {
    await this.#driver.ring();
    await this.#removal.finish();
  }

  #workshop(parts: SessionParts): Workshop | undefined {
    if (parts.workshop === undefined) return undefined;
    return new Workshop(parts, parts.workshop, {
      store: this.#store,
      settings: () => this.#driver.settings(),
      live: (event) => this.#watchers.pushLive([event]),
      end: (turn, end) => this.#turns.end(turn, end),
      purse: () => this.#purse,
    });
  }

  #kick(): void {
    const looking = this.#driver.kick();
    if (looking !== undefined) this.ctx.waitUntil(looking);
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
