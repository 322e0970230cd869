import type { SandboxNetwork, SandboxRecord } from '../store/records.ts';
import { sandboxPolicy } from '../egress/network-rules.ts';
import { boot, eraseWithRetry } from './boot.ts';
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

function requestedFields(wanted: NewSandbox): Partial<SandboxRecord> {
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

/** Creates a sandbox, or claims a pooled one; its timeout starts when it is ready. */
export async function createSandbox(
  context: LifecycleContext,
  pool: WarmPool,
  wanted: NewSandbox,
): Promise<SandboxRecord> {
  // Refuses invalid rules before anything exists that would need cleaning up.
  const policy = sandboxPolicy(wanted.network, wanted.allowInternetAccess);
  const pooled =
    wanted.secure && wanted.source.alias !== undefined
      ? pool.claim(wanted.source.alias, wanted.source.layer)
      : undefined;
  const nowMs = context.clock.nowMs();
  const blank = pooled ?? newRecord(wanted.source, wanted.secure, nowMs);
  const record: SandboxRecord = {
    ...blank,
    ...requestedFields(wanted),
    phase: { state: 'creating' },
  };
  // Counted from now on, so that concurrent creates cannot exceed the limit together. A pooled sandbox without an
  // environment needs no separate write: it contains nothing of the claimer's before it runs.
  const isAsPooled = pooled !== undefined && Object.keys(record.env).length === 0;
  const stored = isAsPooled ? Promise.resolve() : context.records.put(record);
  return context.mutex.run(record.id, async () => {
    try {
      if (pooled === undefined) return await bootNew(context, record, stored);
      await stored;
      context.egress.setPolicy(record.id, policy);
      if (!isAsPooled) await context.envd.init(record.id, record.accessToken, record.env);
      return await markRunning(context, record, wanted.timeoutMs, { startedAt: true });
    } catch (error) {
      await eraseWithRetry(context, record.id).catch(() => undefined);
      throw error;
    }
  });
}

/** Tolerated error of the end time on disk; a slower start writes the record again. */
const MAX_END_ERROR_MS = 1_000;

/**
 * Starts the sandbox while its records are written. A kill -9 meanwhile leaves a record that says `creating`, or none: in
 * both cases the next start removes the sandbox, which no client knows yet. Once this resolves, `running` is on disk.
 */
async function bootNew(
  context: LifecycleContext,
  record: SandboxRecord,
  stored: Promise<void>,
): Promise<SandboxRecord> {
  const begunAtMs = context.clock.nowMs();
  const [staged, ...done] = await Promise.allSettled([
    context.records.stage(asRunning(record, record.timeoutMs, begunAtMs)),
    boot(context, record),
    stored,
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

/** A new request for the sandbox revokes its evictable mark. */
export function withoutEvictableMark(record: SandboxRecord): SandboxRecord {
  const used = { ...record };
  delete used.evictableSinceMs;
  return used;
}

function asRunning(record: SandboxRecord, timeoutMs: number, nowMs: number): SandboxRecord {
  return {
    ...withoutEvictableMark(record),
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
