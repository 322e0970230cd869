import type { SandboxRecord } from '../store/records.ts';
import { boot, eraseWithRetry } from './boot.ts';
import type { Admission } from './capacity.ts';
import type { LifecycleContext } from './context.ts';
import {
  createSandbox,
  withoutEvictableMark,
  markRunning,
  newRecord,
  type NewSandbox,
} from './create.ts';
import { expire, handleExit } from './expire.ts';
import { Refusal, sandboxNotFound } from './errors.ts';
import { ExpiryTimers } from './expiry-timers.ts';
import { Layers } from './layers.ts';
import { pauseSandbox, wakeSandbox } from './pause.ts';
import type { WarmPool } from './pool.ts';
import type { Source } from './sources.ts';

/** The life cycle of every sandbox: operations are serialized per sandbox and on disk before they are confirmed. */
export class Sandboxes {
  readonly layers: Layers;
  readonly #context: LifecycleContext;
  readonly #pool: WarmPool;
  readonly #timers: ExpiryTimers;
  readonly #admission: Admission;
  #isStopping = false;

  constructor(context: LifecycleContext, pool: WarmPool, admission: Admission) {
    this.#context = context;
    this.#pool = pool;
    this.#admission = admission;
    this.layers = new Layers(context);
    this.#timers = new ExpiryTimers(context.clock, (id) => {
      void expire(context, this, id);
    });
    context.backend.onExit((id) => {
      pool.remove(id);
      void handleExit(context, this, id);
    });
    context.backend.onLimit((id, reason) => context.events.add(id, 'warn', reason));
  }

  /** Sandboxes that clients may see: not pooled ones, nor those being created or removed. */
  visible(): SandboxRecord[] {
    return this.#context.records
      .all()
      .filter(({ phase }) => phase.state === 'running' || phase.state === 'paused');
  }

  find(id: string): SandboxRecord | undefined {
    const record = this.#context.records.get(id);
    const state = record?.phase.state;
    return state === 'running' || state === 'paused' ? record : undefined;
  }

  get(id: string): SandboxRecord {
    const record = this.find(id);
    if (record === undefined) throw sandboxNotFound(id);
    return record;
  }

  /** Starts no more processes. A start in progress continues; its key in the mutex shows it. */
  refuseStarts(): void {
    this.#isStopping = true;
  }

  #admit(): void {
    if (this.#isStopping)
      throw new Refusal(
        503,
        'The sandbox server is stopping.',
        'Try again after it has restarted.',
      );
    this.#admission.check(1);
  }

  async create(wanted: NewSandbox): Promise<SandboxRecord> {
    await this.#admission.prepare();
    this.#admit();
    const record = await createSandbox(this.#context, this.#pool, wanted);
    this.armTimer(record);
    this.#context.events.add(record.id, 'info', `created from ${record.templateId}`);
    return record;
  }

  /** Starts a sandbox for the pool; clients do not see it until it is claimed. */
  async makeForPool(source: Source): Promise<SandboxRecord> {
    await this.#admission.prepare();
    this.#admit();
    const record = newRecord(source, true, this.#context.clock.nowMs());
    const stored = this.#context.records.put(record);
    return this.#context.mutex.run(record.id, async () => {
      try {
        await stored;
        await boot(this.#context, record);
        await this.#context.envd.warmUp(record.id, record.accessToken);
        const pooled: SandboxRecord = { ...record, phase: { state: 'pooled' } };
        await this.#context.records.put(pooled);
        return pooled;
      } catch (error) {
        await eraseWithRetry(this.#context, record.id).catch(() => undefined);
        throw error;
      }
    });
  }

  /** Running: extends the timeout, never shortens it. Paused: resumes. */
  async connect(
    id: string,
    timeoutMs: number,
    fromFiles = false,
  ): Promise<{ record: SandboxRecord; resumed: boolean }> {
    return this.runExclusive(id, async (record) => {
      if (record.phase.state === 'running') {
        const endAtMs = Math.max(record.phase.endAtMs, this.#context.clock.nowMs() + timeoutMs);
        return { record: await this.#setEnd(record, endAtMs, timeoutMs), resumed: false };
      }
      return { record: await this.#wake(record, timeoutMs, fromFiles), resumed: true };
    });
  }

  /** Resumes a paused sandbox on an incoming request, if its owner allows that. */
  async wakeByTraffic(id: string): Promise<boolean> {
    const record = this.find(id);
    if (record === undefined || !canWakeByTraffic(record)) return false;
    return this.runExclusive(id, async (fresh) => {
      if (fresh.phase.state === 'paused') await this.#wake(fresh, fresh.timeoutMs, false);
      return true;
    });
  }

  async #wake(
    record: SandboxRecord,
    timeoutMs: number,
    fromFiles: boolean,
  ): Promise<SandboxRecord> {
    const holdsMemory = record.phase.state === 'paused' && record.phase.keeps === 'memory';
    if (!holdsMemory) await this.#admission.prepare();
    if (!holdsMemory || this.#isStopping) this.#admit();
    const woken = await wakeSandbox(this.#context, record, { fromFiles });
    const running = await markRunning(this.#context, woken, timeoutMs);
    this.armTimer(running);
    return running;
  }

  async setTimeout(id: string, timeoutMs: number): Promise<void> {
    await this.runExclusive(id, async (record) => {
      this.assertRunning(record);
      await this.#setEnd(record, this.#context.clock.nowMs() + timeoutMs, timeoutMs);
    });
  }

  async extend(id: string, byMs: number): Promise<void> {
    await this.runExclusive(id, async (record) => {
      this.assertRunning(record);
      const endAtMs = record.phase.state === 'running' ? record.phase.endAtMs : 0;
      const wantedMs = this.#context.clock.nowMs() + byMs;
      await this.#setEnd(record, Math.max(endAtMs, wantedMs), record.timeoutMs);
    });
  }

  async #setEnd(record: SandboxRecord, endAtMs: number, timeoutMs: number): Promise<SandboxRecord> {
    const next: SandboxRecord = {
      ...withoutEvictableMark(record),
      timeoutMs,
      phase: { state: 'running', endAtMs },
    };
    await this.#context.records.put(next);
    this.armTimer(next);
    return next;
  }

  /** Until its owner extends its timeout or connects, its processes may be killed to free memory. */
  async markEvictable(id: string): Promise<void> {
    await this.runExclusive(id, async (record) => {
      this.assertRunning(record);
      const evictableSinceMs = record.evictableSinceMs ?? this.#context.clock.nowMs();
      await this.#context.records.put({ ...record, evictableSinceMs });
    });
  }

  assertRunning(record: SandboxRecord): void {
    if (record.phase.state !== 'running') {
      throw new Refusal(
        409,
        `Sandbox ${record.id} is paused.`,
        'Connect to it first; that resumes it.',
      );
    }
  }

  async pause(id: string, keeps: 'memory' | 'files'): Promise<void> {
    await this.runExclusive(id, async (record) => {
      await pauseSandbox(this.#context, record, keeps);
      this.#timers.disarm(id);
    });
  }

  /** Idempotent towards the back end; refuses unknown ids so that the SDK can answer `false`. */
  async kill(id: string): Promise<void> {
    await this.runExclusive(id, async (record) => this.erase(record));
  }

  /** Only for callers that hold the sandbox's mutex. */
  async erase(record: SandboxRecord): Promise<void> {
    this.#timers.disarm(record.id);
    this.#context.events.add(record.id, 'info', 'killed');
    await this.#context.records.put({ ...record, phase: { state: 'killing' } });
    await eraseWithRetry(this.#context, record.id);
    await this.layers.collect();
  }

  /** Runs with the latest record under the mutex; refuses when the sandbox is gone by then. */
  runExclusive<T>(id: string, operation: (record: SandboxRecord) => Promise<T>): Promise<T> {
    this.get(id);
    return this.#context.mutex.run(id, async () => operation(this.get(id)));
  }

  /** Sets the timers of a sandbox from its record; called after every change and at start. */
  armTimer(record: SandboxRecord): void {
    const { phase } = record;
    if (phase.state === 'running') this.#timers.arm(record.id, phase.endAtMs);
    else if (phase.state === 'paused' && phase.expiresAtMs !== undefined) {
      this.#timers.arm(record.id, phase.expiresAtMs);
    } else this.#timers.disarm(record.id);
  }

  /** Adopts a sandbox of an earlier server; its timeout kept running meanwhile. */
  async adopt(record: SandboxRecord): Promise<void> {
    await this.#context.records.put(record);
    this.armTimer(record);
  }

  stopTimers(): void {
    this.#timers.disarmAll();
  }
}

/** Paused to files by choice: a stray request must not boot it (E2B's rule). Processes lost by accident: it may. */
export function canWakeByTraffic(record: SandboxRecord): boolean {
  const { phase } = record;
  if (phase.state !== 'paused' || !record.autoResume) return false;
  return phase.keeps === 'memory' || record.processesLostAtMs !== undefined;
}
