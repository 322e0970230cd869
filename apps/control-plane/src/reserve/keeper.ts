import { type Place, type ReservePlan, planReserve } from '@ship/core';
import { type ModelRef, type SessionId, type Settings, createId } from '@ship/protocol';
import { log } from '../platform/log.ts';
import { foreignFailure } from '../sandbox/failure.ts';
import type { ReserveParts } from './parts.ts';
import type { PlaceStore } from './place-store.ts';
import { warmUp } from './warm-up.ts';

const FIRST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 10 * 60_000;
/** If the process dies while something is under way, this is when the object looks again. */
const SAFETY_MS = 30_000;

/** Who has just started the machine is about to do something with it: the first agent is theirs. */
const WAKING_MS = 15_000;

/** Does what the plan says. Every step may be repeated: after a crash nobody knows whether the first one arrived. */
export class Keeper {
  readonly #store: PlaceStore;
  readonly #parts: ReserveParts;
  readonly #wakeAt: (atMs: number) => void;
  /** What is being made by this very process. */
  readonly #making = new Map<SessionId, Promise<void>>();
  readonly #awakeSince = Date.now();
  #running: Promise<void> | undefined;
  #isAskedAgain = false;
  #hasChecked = false;

  constructor(store: PlaceStore, parts: ReserveParts, wakeAt: (atMs: number) => void) {
    this.#store = store;
    this.#parts = parts;
    this.#wakeAt = wakeAt;
  }

  /** Called after every change. The alarm is set with the change itself: nothing is forgotten when the process dies. */
  kick(): Promise<void> {
    this.#wakeAt(Date.now() + SAFETY_MS);
    return this.look();
  }

  /** From the alarm, which the platform repeats by itself: with another one set, nothing would ever rest. */
  look(): Promise<void> {
    this.#isAskedAgain = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  isMaking(sessionId: SessionId): boolean {
    return this.#making.has(sessionId);
  }

  /** Returns when this process does nothing with the place any more. */
  async finished(sessionId: SessionId): Promise<void> {
    await this.#making.get(sessionId);
  }

  async #run(): Promise<void> {
    while (this.#isAskedAgain) {
      this.#isAskedAgain = false;
      const nextAt = await this.#pass().catch((thrown: unknown) => this.#failed('pass', thrown));
      if (nextAt !== null) this.#wakeAt(nextAt);
    }
  }

  async #pass(): Promise<number | null> {
    const settings = await this.#parts.settings();
    const model = this.#parts.agent === undefined ? null : await this.#parts.defaultModel(settings);
    await this.#checkOnce();
    const isBusy = await this.#parts.isBusy();
    const plan = this.#plan(settings, model, isBusy);
    for (const sessionId of plan.free) this.#store.setDraft(sessionId, null);
    for (const sessionId of plan.end) await this.#end(sessionId);
    for (const sessionId of plan.settle) await this.#settle(sessionId);
    if (plan.make > 0 && model !== null) this.add(settings, model, null);
    // What a process that died was making is gone on with.
    for (const place of this.#store.all())
      if (place.state === 'making' && !this.#making.has(place.sessionId)) this.#make(place);
    return this.#making.size > 0
      ? Date.now() + SAFETY_MS
      : this.#plan(settings, model, isBusy).nextAt;
  }

  add(settings: Settings, model: ModelRef, draft: Place['draft']): void {
    const sessionId = createId('ses');
    const provider = settings.sandboxProvider;
    this.#store.add({ sessionId, state: 'making', since: Date.now(), draft, model, provider });
  }

  #plan(
    { warm, sandboxProvider: provider }: Settings,
    model: ModelRef | null,
    isBusy: boolean,
  ): ReservePlan {
    return planReserve(
      this.#store.all(),
      {
        size: warm.size,
        model,
        provider,
        lastDemandAt: this.#store.read('last-demand-at'),
        quietUntil: Math.max(this.#store.read('quiet-until'), this.#awakeSince + WAKING_MS),
        isBusy,
      },
      Date.now(),
    );
  }

  #make(place: Place): void {
    const { sessionId } = place;
    const work = this.#warm(place)
      .catch((thrown: unknown) => {
        this.#failed('make', thrown);
        // One that was claimed meanwhile is its session's: it takes what is there.
        if (this.#store.find(sessionId)?.state === 'making')
          this.#store.become(sessionId, 'ending');
      })
      .finally(() => {
        this.#making.delete(sessionId);
        void this.kick();
      });
    this.#making.set(sessionId, work);
  }

  async #warm(place: Place): Promise<void> {
    const { port, sandboxId } = await warmUp(this.#parts, place);
    if (this.#store.find(place.sessionId)?.state !== 'making') return;
    // Frozen it takes no processor time, and the service may take its memory when that runs short.
    await port.freeze(sandboxId);
    this.#store.write('failures', 0);
    if (this.#store.find(place.sessionId)?.state !== 'making') return;
    this.#store.become(place.sessionId, 'ready');
    log('info', 'reserve.ready', { session: place.sessionId });
  }

  /** Once per life of the object: places whose processes ended with the machine are worth nothing. */
  async #checkOnce(): Promise<void> {
    if (this.#hasChecked) return;
    this.#hasChecked = true;
    for (const { sessionId, state, provider } of this.#store.all()) {
      if (state !== 'ready') continue;
      const port = this.#parts.sandboxes(provider);
      const found = await port.findAll(sessionId);
      const presences = await Promise.all(found.map((id) => port.presence(id)));
      if (!presences.includes('frozen') && this.#store.find(sessionId)?.state === 'ready')
        this.#store.become(sessionId, 'ending');
    }
  }

  async #end(sessionId: SessionId): Promise<void> {
    const place = this.#store.find(sessionId);
    if (place === undefined || place.state === 'claimed') return;
    // Nobody may claim it from now on.
    if (place.state !== 'ending') this.#store.become(sessionId, 'ending');
    await this.finished(sessionId);
    const port = this.#parts.sandboxes(place.provider);
    for (const sandboxId of await port.findAll(sessionId)) await port.destroy(sandboxId);
    this.#store.remove(sessionId);
    log('info', 'reserve.ended', { session: sessionId });
  }

  /** A request that died between its claim and its session leaves a place that nobody has. */
  async #settle(sessionId: SessionId): Promise<void> {
    if (await this.#parts.hasSession(sessionId)) this.#store.remove(sessionId);
    else this.#store.become(sessionId, 'ending');
    this.#isAskedAgain = true;
  }

  #failed(what: string, thrown: unknown): number {
    const { code } = foreignFailure('sandbox', thrown);
    const failures = this.#store.read('failures') + 1;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
    log('warn', 'reserve.failed', { what, code, failures });
    this.#store.write('failures', failures);
    this.#store.write('quiet-until', Date.now() + pauseMs);
    return Date.now() + pauseMs;
  }
}
