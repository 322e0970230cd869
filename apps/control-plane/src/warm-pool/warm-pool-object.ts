import { DurableObject } from 'cloudflare:workers';
import { DRAFT_MS, MAX_DRAFTS, type PooledSandbox } from '@ship/core';
import type { DraftId, DraftView, SessionId } from '@ship/protocol';
import { migrate } from '../platform/migrate.ts';
import { Alarm } from '../session/alarm.ts';
import { PoolManager } from './pool-manager.ts';
import type { Claim, WarmPoolDeps } from './deps.ts';
import { PoolStore, POOL_TABLES } from './pool-store.ts';

/** A session that just began has the machine to itself for this long. */
const REFILL_DELAY_MS = 10_000;

/**
 * The warm pool: prewarmed sandboxes whose agent listens already. One Durable Object per deployment, apart from the
 * workspace, so that a slow sandbox service never delays a list. A pooled sandbox carries the id of its future session;
 * the session finds it in the same way as one that an interrupted start left behind.
 */
export abstract class WarmPoolObject<Env> extends DurableObject<Env> {
  readonly #store: PoolStore;
  readonly #deps: WarmPoolDeps;
  readonly #alarm: Alarm;
  readonly #manager: PoolManager;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    migrate(ctx.storage, POOL_TABLES);
    this.#store = new PoolStore(ctx.storage.sql);
    this.#deps = this.deps(env);
    this.#alarm = new Alarm(ctx.storage);
    this.#manager = new PoolManager(this.#store, this.#deps, (atMs) =>
      this.#alarm.noLaterThan(atMs),
    );
  }

  protected abstract deps(env: Env): WarmPoolDeps;

  /** Assigns a ready sandbox to this request only and returns its session id; null when none is ready. */
  claim({ requestId, draftId }: Claim): SessionId | null {
    const known = this.#store.claimedBy(requestId);
    if (known !== undefined) return known;
    this.#noteDemand();
    const sessionId = this.#pick(draftId)?.sessionId ?? null;
    if (sessionId !== null) this.#store.claim(sessionId, requestId);
    this.#schedule();
    return sessionId;
  }

  /** Holds a sandbox for a draft while the user types. Each call extends the hold. */
  async holdDraft(draftId: DraftId): Promise<DraftView> {
    const draft = { draftId, expiresAt: Date.now() + DRAFT_MS };
    const pooled = this.#store.ofDraft(draftId) ?? this.#spare();
    if (pooled !== undefined && this.#hasRoom(draftId)) {
      this.#store.setDraft(pooled.sessionId, draft);
    } else if (pooled === undefined && this.#hasRoom(draftId)) {
      const settings = await this.#deps.settings();
      const isOn = settings.warm.size > 0 && this.#deps.agent !== undefined;
      const model = isOn ? await this.#deps.defaultModel(settings) : null;
      // A concurrent call for the same draft may have added one.
      if (model !== null && this.#store.ofDraft(draftId) === undefined)
        this.#manager.add(settings, model, draft);
    }
    this.#noteDemand();
    this.#schedule();
    return this.#view(draftId);
  }

  releaseDraft(draftId: DraftId): void {
    const pooled = this.#store.ofDraft(draftId);
    if (pooled === undefined || pooled.state === 'claimed') return;
    this.#store.setDraft(pooled.sessionId, null);
    this.#schedule();
  }

  /** Returns a claimed sandbox that is not needed after all. */
  release(sessionId: SessionId): void {
    if (this.#store.find(sessionId)?.state !== 'claimed') return;
    this.#store.release(sessionId, this.#manager.isMaking(sessionId) ? 'making' : 'ready');
    this.#schedule();
  }

  /** The session calls this before it looks for its sandbox: from then on the sandbox is the session's alone. */
  async settle(sessionId: SessionId): Promise<void> {
    await this.#manager.finished(sessionId);
    if (this.#store.find(sessionId)?.state === 'claimed') this.#store.remove(sessionId);
  }

  override async alarm(): Promise<void> {
    this.#alarm.onAlarm();
    await this.#manager.reconcile();
  }

  #pick(draftId: DraftId | null): PooledSandbox | undefined {
    const drafted = draftId === null ? undefined : this.#store.ofDraft(draftId);
    if (drafted !== undefined && isOpen(drafted.state)) return drafted;
    return this.#store.all().find(({ state, draft }) => state === 'ready' && draft === null);
  }

  #spare(): PooledSandbox | undefined {
    const free = this.#store.all().filter(({ draft }) => draft === null);
    return (
      free.find(({ state }) => state === 'ready') ?? free.find(({ state }) => state === 'making')
    );
  }

  #hasRoom(draftId: DraftId): boolean {
    const others = this.#store
      .all()
      .filter(({ state, draft }) => draft !== null && draft.draftId !== draftId && isOpen(state));
    return others.length < MAX_DRAFTS;
  }

  #view(draftId: DraftId): DraftView {
    const pooled = this.#store.ofDraft(draftId);
    if (pooled === undefined || pooled.draft === null || !isOpen(pooled.state))
      return { draftId, status: 'none', expiresAt: null };
    const status = pooled.state === 'ready' ? 'ready' : 'warming';
    return { draftId, status, expiresAt: pooled.draft.expiresAt };
  }

  #noteDemand(): void {
    const now = Date.now();
    this.#store.write('last-demand-at', now);
    const quietUntil = Math.max(this.#store.read('quiet-until'), now + REFILL_DELAY_MS);
    this.#store.write('quiet-until', quietUntil);
  }

  #schedule(): void {
    this.ctx.waitUntil(this.#manager.schedule());
  }
}

function isOpen(state: PooledSandbox['state']): boolean {
  return state === 'making' || state === 'ready';
}
