import type { SandboxNetwork, SandboxRecord } from '../store/records.ts';
import { sandboxPolicy } from '../egress/network-rules.ts';
import { boot, eraseSurely } from './boot.ts';
import type { LifecycleContext } from './context.ts';
import { newSandboxId, newToken } from './ids.ts';
import type { WarmPool } from './pool.ts';
import type { Source } from './sources.ts';

export interface NewSandbox {
  source: Source;
  timeoutMs: number;
  secure: boolean;
  env: Record<string, string>;
  metadata: Record<string, string>;
  network: SandboxNetwork | undefined;
  allowInternetAccess: boolean | undefined;
  autoPause: SandboxRecord['autoPause'];
  autoResume: boolean;
}

function wishes(wanted: NewSandbox): Partial<SandboxRecord> {
  return {
    env: { ...wanted.source.env, ...wanted.env },
    metadata: wanted.metadata,
    autoPause: wanted.autoPause,
    autoResume: wanted.autoResume,
    timeoutMs: wanted.timeoutMs,
    ...(wanted.network === undefined ? {} : { network: wanted.network }),
    ...(wanted.allowInternetAccess === undefined
      ? {}
      : { allowInternetAccess: wanted.allowInternetAccess }),
    ...(wanted.network?.allowPublicTraffic === false ? { trafficToken: newToken() } : {}),
  };
}

export function newRecord(source: Source, secure: boolean, nowMs: number): SandboxRecord {
  return {
    id: newSandboxId(),
    templateId: source.templateId,
    ...(source.alias === undefined ? {} : { alias: source.alias }),
    layer: source.layer,
    limits: source.limits,
    env: source.env,
    metadata: {},
    ...(secure ? { accessToken: newToken() } : {}),
    startedAtMs: nowMs,
    autoPause: 'off',
    autoResume: false,
    timeoutMs: 0,
    phase: { state: 'creating' },
  };
}

/** Makes a sandbox, or claims a ready one, and gives it its time from the moment when it is ready. */
export async function createSandbox(
  context: LifecycleContext,
  pool: WarmPool,
  wanted: NewSandbox,
): Promise<SandboxRecord> {
  // Refuses bad rules before anything exists that would have to be cleaned up.
  const policy = sandboxPolicy(wanted.network, wanted.allowInternetAccess);
  const pooled =
    wanted.secure && wanted.source.alias !== undefined
      ? pool.claim(wanted.source.alias, wanted.source.layer)
      : undefined;
  const nowMs = context.clock.nowMs();
  const blank = pooled ?? newRecord(wanted.source, wanted.secure, nowMs);
  const record: SandboxRecord = { ...blank, ...wishes(wanted), phase: { state: 'creating' } };
  // Counted from this moment on, so that many creates at once cannot pass the bound together. A pooled one that gets no
  // environment needs no note of its own: nothing of the claimer's is in it before it runs.
  const isAsPooled = pooled !== undefined && Object.keys(record.env).length === 0;
  const noted = isAsPooled ? Promise.resolve() : context.records.put(record);
  return context.mutex.run(record.id, async () => {
    try {
      if (pooled === undefined) return await bootNew(context, record, noted);
      await noted;
      context.egress.setPolicy(record.id, policy);
      if (!isAsPooled) await context.envd.init(record.id, record.accessToken, record.env);
      return await markRunning(context, record, wanted.timeoutMs, { startedAt: true });
    } catch (error) {
      await eraseSurely(context, record.id).catch(() => undefined);
      throw error;
    }
  });
}

/** On disk the end may be this much too early; a start that took longer is written once more. */
const MAX_END_ERROR_MS = 1_000;

/**
 * Starts it while its records are written. A kill -9 on the way leaves a record that says `creating`, or none: the next
 * start removes the sandbox in both cases, for nobody was told of it. Once this resolves, `running` is on disk.
 */
async function bootNew(
  context: LifecycleContext,
  record: SandboxRecord,
  noted: Promise<void>,
): Promise<SandboxRecord> {
  const begunAtMs = context.clock.nowMs();
  const [staged, ...done] = await Promise.allSettled([
    context.records.stage(asRunning(record, record.timeoutMs, begunAtMs)),
    boot(context, record),
    noted,
  ]);
  if (staged.status === 'rejected') throw staged.reason;
  const failed = done.find((result) => result.status === 'rejected');
  if (failed !== undefined) {
    await staged.value.discard();
    throw failed.reason;
  }
  const readyAtMs = context.clock.nowMs();
  const running = asRunning(record, record.timeoutMs, readyAtMs);
  await staged.value.commit(running);
  if (readyAtMs - begunAtMs > MAX_END_ERROR_MS) await context.records.put(running);
  return running;
}

/** Whoever asks for it again wants its processes kept. */
export function inUse(record: SandboxRecord): SandboxRecord {
  const used = { ...record };
  delete used.evictableSinceMs;
  return used;
}

function asRunning(record: SandboxRecord, timeoutMs: number, nowMs: number): SandboxRecord {
  return {
    ...inUse(record),
    timeoutMs,
    startedAtMs: nowMs,
    phase: { state: 'running', endAtMs: nowMs + timeoutMs },
  };
}

export async function markRunning(
  context: LifecycleContext,
  record: SandboxRecord,
  timeoutMs: number,
  options: { startedAt: boolean } = { startedAt: false },
): Promise<SandboxRecord> {
  const running = asRunning(record, timeoutMs, context.clock.nowMs());
  if (!options.startedAt) running.startedAtMs = record.startedAtMs;
  await context.records.put(running);
  return running;
}
