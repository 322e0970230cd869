import type { SandboxRecord } from '../store/records.ts';
import { boot, eraseSurely } from './boot.ts';
import type { Admission } from './capacity.ts';
import type { LifecycleContext } from './context.ts';
import { createSandbox, inUse, markRunning, newRecord, type NewSandbox } from './create.ts';
import { expire, processesEnded } from './endings.ts';
import { Refusal, sandboxNotFound } from './errors.ts';
import { ExpiryTimers } from './expiry.ts';
import { Layers } from './layers.ts';
import { pauseSandbox, wakeSandbox } from './pause.ts';
import type { WarmPool } from './pool.ts';
import type { Source } from './sources.ts';

/** The life of every sandbox: each operation runs alone per sandbox and is on disk before it is confirmed. */
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
      void processesEnded(context, this, id);
    });
    context.backend.onLimit((id, reason) => context.events.add(id, 'warn', reason));
  }

  /** What clients may know of: not the pool, nor what is being made or removed. */
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

  /** No process is started any more. A start that is under way goes on; its key in the mutex says so. */
  refuseStarts(): void {
    this.#isStopping = true;
  }

  #admit(): void {
    if (this.#isStopping)
      throw new Refusal(503, 'The sandbox server is stopping.', 'Try again when it has started.');
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

  /** Starts one for the pool; nobody sees it until it is claimed. */
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
        await eraseSurely(this.#context, record.id).catch(() => undefined);
        throw error;
      }
    });
  }

  /** Running: its time is only ever extended. Paused: it is resumed. */
  async connect(
    id: string,
    timeoutMs: number,
    fromFiles = false,
  ): Promise<{ record: SandboxRecord; resumed: boolean }> {
    return this.alone(id, async (record) => {
      if (record.phase.state === 'running') {
        const endAtMs = Math.max(record.phase.endAtMs, this.#context.clock.nowMs() + timeoutMs);
        return { record: await this.#setEnd(record, endAtMs, timeoutMs), resumed: false };
      }
      return { record: await this.#wake(record, timeoutMs, fromFiles), resumed: true };
    });
  }

  /** A request has come in for a paused sandbox: resumes it if its owner allows that. */
  async wakeByTraffic(id: string): Promise<boolean> {
    const record = this.find(id);
    if (record === undefined || !canWakeByTraffic(record)) return false;
    return this.alone(id, async (fresh) => {
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
    await this.alone(id, async (record) => {
      this.mustRun(record);
      await this.#setEnd(record, this.#context.clock.nowMs() + timeoutMs, timeoutMs);
    });
  }

  async extend(id: string, byMs: number): Promise<void> {
    await this.alone(id, async (record) => {
      this.mustRun(record);
      const endAtMs = record.phase.state === 'running' ? record.phase.endAtMs : 0;
      const wantedMs = this.#context.clock.nowMs() + byMs;
      await this.#setEnd(record, Math.max(endAtMs, wantedMs), record.timeoutMs);
    });
  }

  async #setEnd(record: SandboxRecord, endAtMs: number, timeoutMs: number): Promise<SandboxRecord> {
    const next: SandboxRecord = {
      ...inUse(record),
      timeoutMs,
      phase: { state: 'running', endAtMs },
    };
    await this.#context.records.put(next);
    this.armTimer(next);
    return next;
  }

  /** From now until its owner extends its time or connects, its processes may be ended for the memory of others. */
  async markEvictable(id: string): Promise<void> {
    await this.alone(id, async (record) => {
      this.mustRun(record);
      const evictableSinceMs = record.evictableSinceMs ?? this.#context.clock.nowMs();
      await this.#context.records.put({ ...record, evictableSinceMs });
    });
  }

  mustRun(record: SandboxRecord): void {
    if (record.phase.state !== 'running') {
      throw new Refusal(
        409,
        `Sandbox ${record.id} is paused.`,
        'Connect to it first; that resumes it.',
      );
    }
  }

  async pause(id: string, keeps: 'memory' | 'files'): Promise<void> {
    await this.alone(id, async (record) => {
      await pauseSandbox(this.#context, record, keeps);
      this.#timers.disarm(id);
    });
  }

  /** Idempotent towards the back end; unknown ids are refused so that the SDK can answer `false`. */
  async kill(id: string): Promise<void> {
    await this.alone(id, async (record) => this.erase(record));
  }

  /** Only for callers that are alone with the sandbox already. */
  async erase(record: SandboxRecord): Promise<void> {
    this.#timers.disarm(record.id);
    this.#context.events.add(record.id, 'info', 'killed');
    await this.#context.records.put({ ...record, phase: { state: 'killing' } });
    await eraseSurely(this.#context, record.id);
    await this.layers.collect();
  }

  /** Runs with the newest record, alone; refuses when the sandbox is gone by then. */
  alone<T>(id: string, operation: (record: SandboxRecord) => Promise<T>): Promise<T> {
    this.get(id);
    return this.#context.mutex.run(id, async () => operation(this.get(id)));
  }

  /** Timers of a sandbox as its record says; used after every change and at start. */
  armTimer(record: SandboxRecord): void {
    const { phase } = record;
    if (phase.state === 'running') this.#timers.arm(record.id, phase.endAtMs);
    else if (phase.state === 'paused' && phase.expiresAtMs !== undefined) {
      this.#timers.arm(record.id, phase.expiresAtMs);
    } else this.#timers.disarm(record.id);
  }

  /** Takes over a sandbox that an earlier server has left; its time went on while no server ran. */
  async adopt(record: SandboxRecord): Promise<void> {
    await this.#context.records.put(record);
    this.armTimer(record);
  }

  stopTimers(): void {
    this.#timers.disarmAll();
  }
}

/** Files only, by choice: a stray request must not boot it (E2B's rule). Files only by accident: it may. */
export function canWakeByTraffic(record: SandboxRecord): boolean {
  const { phase } = record;
  if (phase.state !== 'paused' || !record.autoResume) return false;
  return phase.keeps === 'memory' || record.processesLostAtMs !== undefined;
}
