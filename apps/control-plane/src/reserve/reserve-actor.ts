import { DurableObject } from 'cloudflare:workers';
import { DRAFT_MS, MAX_DRAFTS, type Place } from '@ship/core';
import type { DraftId, DraftView, SessionId } from '@ship/protocol';
import { migrate } from '../platform/migrate.ts';
import { Alarm } from '../session/alarm.ts';
import { Keeper } from './keeper.ts';
import type { Claim, ReserveParts } from './parts.ts';
import { PlaceStore, RESERVE_TABLES } from './place-store.ts';

/** What was just begun has the machine to itself for a while. */
const REFILL_DELAY_MS = 10_000;

/**
 * Sandboxes whose agent listens already, for sessions to come: one per team, beside the workspace, so that waiting for a
 * sandbox service never keeps a list waiting. A place has the id of the session that will have it, so the session finds
 * its sandbox as it finds one that an interrupted start left.
 */
export abstract class ReserveActor<Env> extends DurableObject<Env> {
  readonly #store: PlaceStore;
  readonly #parts: ReserveParts;
  readonly #alarm: Alarm;
  readonly #keeper: Keeper;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    migrate(ctx.storage, RESERVE_TABLES);
    this.#store = new PlaceStore(ctx.storage.sql);
    this.#parts = this.parts(env);
    this.#alarm = new Alarm(ctx.storage);
    this.#keeper = new Keeper(this.#store, this.#parts, (atMs) => this.#alarm.noLaterThan(atMs));
  }

  protected abstract parts(env: Env): ReserveParts;

  /** The id of a session whose sandbox waits, for this request and no other; null when there is none. */
  claim({ requestId, draftId }: Claim): SessionId | null {
    const known = this.#store.claimedBy(requestId);
    if (known !== undefined) return known;
    this.#demand();
    const sessionId = this.#choose(draftId)?.sessionId ?? null;
    if (sessionId !== null) this.#store.claim(sessionId, requestId);
    this.#kick();
    return sessionId;
  }

  /** Somebody types. Asking again keeps it a little longer. */
  async draft(draftId: DraftId): Promise<DraftView> {
    const draft = { draftId, expiresAt: Date.now() + DRAFT_MS };
    const place = this.#store.ofDraft(draftId) ?? this.#spare();
    if (place !== undefined && this.#hasRoom(draftId)) {
      this.#store.setDraft(place.sessionId, draft);
    } else if (place === undefined && this.#hasRoom(draftId)) {
      const settings = await this.#parts.settings();
      const isOn = settings.warm.size > 0 && this.#parts.agent !== undefined;
      const model = isOn ? await this.#parts.defaultModel(settings) : null;
      // Two of the same may have come meanwhile.
      if (model !== null && this.#store.ofDraft(draftId) === undefined)
        this.#keeper.add(settings, model, draft);
    }
    this.#demand();
    this.#kick();
    return this.#view(draftId);
  }

  giveBack(draftId: DraftId): void {
    const place = this.#store.ofDraft(draftId);
    if (place === undefined || place.state === 'claimed') return;
    this.#store.setDraft(place.sessionId, null);
    this.#kick();
  }

  /** What was claimed is not needed after all. */
  release(sessionId: SessionId): void {
    if (this.#store.find(sessionId)?.state !== 'claimed') return;
    this.#store.release(sessionId, this.#keeper.isMaking(sessionId) ? 'making' : 'ready');
    this.#kick();
  }

  /** From the session itself, before it looks for its sandbox: from now on it is the session's alone. */
  async settle(sessionId: SessionId): Promise<void> {
    await this.#keeper.finished(sessionId);
    if (this.#store.find(sessionId)?.state === 'claimed') this.#store.remove(sessionId);
  }

  override async alarm(): Promise<void> {
    this.#alarm.onAlarm();
    await this.#keeper.look();
  }

  #choose(draftId: DraftId | null): Place | undefined {
    const drafted = draftId === null ? undefined : this.#store.ofDraft(draftId);
    if (drafted !== undefined && isOpen(drafted.state)) return drafted;
    return this.#store.all().find(({ state, draft }) => state === 'ready' && draft === null);
  }

  #spare(): Place | undefined {
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
    const place = this.#store.ofDraft(draftId);
    if (place === undefined || place.draft === null || !isOpen(place.state))
      return { draftId, status: 'none', expiresAt: null };
    const status = place.state === 'ready' ? 'ready' : 'warming';
    return { draftId, status, expiresAt: place.draft.expiresAt };
  }

  #demand(): void {
    const now = Date.now();
    this.#store.write('last-demand-at', now);
    const quietUntil = Math.max(this.#store.read('quiet-until'), now + REFILL_DELAY_MS);
    this.#store.write('quiet-until', quietUntil);
  }

  #kick(): void {
    this.ctx.waitUntil(this.#keeper.kick());
  }
}

function isOpen(state: Place['state']): boolean {
  return state === 'making' || state === 'ready';
}
