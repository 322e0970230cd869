import { type PooledSandbox, type PoolPlan, planPool } from '@ship/core';
import { type ModelRef, type SessionId, type Settings, createId } from '@ship/protocol';
import { log } from '../platform/log.ts';
import { foreignFailure } from '../sandbox/failure.ts';
import type { WarmPoolDeps } from './deps.ts';
import type { PoolStore } from './pool-store.ts';
import { prewarm } from './prewarm.ts';

const MIN_BACKOFF_MS = 15_000;
const MAX_BACKOFF_MS = 10 * 60_000;
/** If the process dies while work is under way, the object reconciles again after this time. */
const SAFETY_MS = 30_000;

/** After a start of the machine the first agent is for the user who started it, not for the pool. */
const STARTUP_GRACE_MS = 15_000;

/** Performs the plan. Every step is idempotent: after a crash it is unknown whether the first try arrived. */
export class PoolManager {
  readonly #store: PoolStore;
  readonly #deps: WarmPoolDeps;
  readonly #wakeAt: (atMs: number) => void;
  /** Sandboxes that this process is making. */
  readonly #making = new Map<SessionId, Promise<void>>();
  readonly #startedAt = Date.now();
  #running: Promise<void> | undefined;
  #isDirty = false;
  #hasCheckedReady = false;

  constructor(store: PoolStore, deps: WarmPoolDeps, wakeAt: (atMs: number) => void) {
    this.#store = store;
    this.#deps = deps;
    this.#wakeAt = wakeAt;
  }

  /** Called after every change. Sets the alarm together with the change, so that a crash loses no work. */
  schedule(): Promise<void> {
    this.#wakeAt(Date.now() + SAFETY_MS);
    return this.reconcile();
  }

  /** Called from the alarm. Sets no alarm first: a pool with nothing to do must stop waking the object. */
  reconcile(): Promise<void> {
    this.#isDirty = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  isMaking(sessionId: SessionId): boolean {
    return this.#making.has(sessionId);
  }

  /** Resolves when this process no longer works on the sandbox. */
  async finished(sessionId: SessionId): Promise<void> {
    await this.#making.get(sessionId);
  }

  async #run(): Promise<void> {
    while (this.#isDirty) {
      this.#isDirty = false;
      const nextAt = await this.#pass().catch((thrown: unknown) => this.#failed('pass', thrown));
      if (nextAt !== null) this.#wakeAt(nextAt);
    }
  }

  async #pass(): Promise<number | null> {
    const settings = await this.#deps.settings();
    const model = this.#deps.agent === undefined ? null : await this.#deps.defaultModel(settings);
    await this.#dropLostOnce();
    const isBusy = await this.#deps.isBusy();
    const plan = this.#plan(settings, model, isBusy);
    for (const sessionId of plan.free) this.#store.setDraft(sessionId, null);
    for (const sessionId of plan.end) await this.#end(sessionId);
    for (const sessionId of plan.settle) await this.#settleClaim(sessionId);
    if (plan.make > 0 && model !== null) this.add(settings, model, null);
    // Resume sandboxes that an earlier process was making when it died.
    for (const pooled of this.#store.all())
      if (pooled.state === 'making' && !this.#making.has(pooled.sessionId)) this.#make(pooled);
    return this.#making.size > 0
      ? Date.now() + SAFETY_MS
      : this.#plan(settings, model, isBusy).nextAt;
  }

  add(settings: Settings, model: ModelRef, draft: PooledSandbox['draft']): void {
    const sessionId = createId('ses');
    const provider = settings.sandboxProvider;
    this.#store.add({ sessionId, state: 'making', since: Date.now(), draft, model, provider });
  }

  #plan(
    { warm, sandboxProvider: provider }: Settings,
    model: ModelRef | null,
    isBusy: boolean,
  ): PoolPlan {
    return planPool(
      this.#store.all(),
      {
        size: warm.size,
        model,
        provider,
        lastDemandAt: this.#store.read('last-demand-at'),
        quietUntil: Math.max(this.#store.read('quiet-until'), this.#startedAt + STARTUP_GRACE_MS),
        isBusy,
      },
      Date.now(),
    );
  }

  #make(pooled: PooledSandbox): void {
    const { sessionId } = pooled;
    const work = this.#warm(pooled)
      .catch((thrown: unknown) => {
        this.#failed('make', thrown);
        // A sandbox that was claimed meanwhile belongs to its session, which finishes the set-up.
        if (this.#store.find(sessionId)?.state === 'making')
          this.#store.setState(sessionId, 'ending');
      })
      .finally(() => {
        this.#making.delete(sessionId);
        void this.schedule();
      });
    this.#making.set(sessionId, work);
  }

  async #warm(pooled: PooledSandbox): Promise<void> {
    const { port, sandboxId } = await prewarm(this.#deps, pooled);
    if (this.#store.find(pooled.sessionId)?.state !== 'making') return;
    // A frozen sandbox takes no CPU time, and the service may evict its memory under pressure.
    await port.freeze(sandboxId);
    this.#store.write('failures', 0);
    if (this.#store.find(pooled.sessionId)?.state !== 'making') return;
    this.#store.setState(pooled.sessionId, 'ready');
    log('info', 'reserve.ready', { session: pooled.sessionId });
  }

  /** Once per life of the object: sandboxes whose processes ended with the machine are useless. */
  async #dropLostOnce(): Promise<void> {
    if (this.#hasCheckedReady) return;
    this.#hasCheckedReady = true;
    for (const { sessionId, state, provider } of this.#store.all()) {
      if (state !== 'ready') continue;
      const port = this.#deps.sandboxes(provider);
      const found = await port.findAll(sessionId);
      const presences = await Promise.all(found.map((id) => port.presence(id)));
      if (!presences.includes('frozen') && this.#store.find(sessionId)?.state === 'ready')
        this.#store.setState(sessionId, 'ending');
    }
  }

  async #end(sessionId: SessionId): Promise<void> {
    const pooled = this.#store.find(sessionId);
    if (pooled === undefined || pooled.state === 'claimed') return;
    // From here on it cannot be claimed.
    if (pooled.state !== 'ending') this.#store.setState(sessionId, 'ending');
    await this.finished(sessionId);
    const port = this.#deps.sandboxes(pooled.provider);
    for (const sandboxId of await port.findAll(sessionId)) await port.destroy(sandboxId);
    this.#store.remove(sessionId);
    log('info', 'reserve.ended', { session: sessionId });
  }

  /** A request that died between its claim and its session leaves an orphaned sandbox. */
  async #settleClaim(sessionId: SessionId): Promise<void> {
    if (await this.#deps.hasSession(sessionId)) this.#store.remove(sessionId);
    else this.#store.setState(sessionId, 'ending');
    this.#isDirty = true;
  }

  #failed(what: string, thrown: unknown): number {
    const { code } = foreignFailure('sandbox', thrown);
    const failures = this.#store.read('failures') + 1;
    const backoffMs = Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** (failures - 1));
    log('warn', 'reserve.failed', { what, code, failures });
    this.#store.write('failures', failures);
    this.#store.write('quiet-until', Date.now() + backoffMs);
    return Date.now() + backoffMs;
  }
}
