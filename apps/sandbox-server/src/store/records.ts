import { z } from 'zod';

const limits = z.object({
  memoryMb: z.number(),
  cpuCount: z.number(),
  processes: z.number(),
  diskMb: z.number(),
});

const network = z.object({
  allowOut: z.array(z.string()).optional(),
  denyOut: z.array(z.string()).optional(),
  allowPublicTraffic: z.boolean().optional(),
  maskRequestHost: z.string().optional(),
  httpsPorts: z.array(z.number()).optional(),
  rules: z.record(z.string(), z.array(z.object({}))).optional(),
});
export type SandboxNetwork = z.infer<typeof network>;

/**
 * Phase in a sandbox's life cycle. `killing` is written before the back end is called and `creating` in parallel, so that
 * a kill -9 in between leaves a name to clean up; remains without a record are orphans and are removed.
 */
const phase = z.discriminatedUnion('state', [
  z.object({ state: z.literal('creating') }),
  z.object({ state: z.literal('pooled') }),
  z.object({ state: z.literal('running'), endAtMs: z.number() }),
  z.object({
    state: z.literal('paused'),
    /** `memory`: frozen processes are kept. `files`: only files are kept, a resume boots again. */
    keeps: z.enum(['memory', 'files']),
    endAtMs: z.number(),
    /** Absent in records of earlier versions. */
    pausedAtMs: z.number().optional(),
    /** Set when the sandbox lost its processes without a pause request: it still ends at its timeout. */
    expiresAtMs: z.number().optional(),
  }),
  z.object({ state: z.literal('killing') }),
]);
export type Phase = z.infer<typeof phase>;

export const sandboxRecord = z.object({
  id: z.string(),
  templateId: z.string(),
  alias: z.string().optional(),
  layer: z.string(),
  limits,
  env: z.record(z.string(), z.string()),
  metadata: z.record(z.string(), z.string()),
  accessToken: z.string().optional(),
  trafficToken: z.string().optional(),
  network: network.optional(),
  allowInternetAccess: z.boolean().optional(),
  startedAtMs: z.number(),
  /** Whether and how the sandbox is paused when its timeout passes, and whether a request may resume it afterwards. */
  autoPause: z.enum(['off', 'memory', 'files']),
  autoResume: z.boolean(),
  /** The last requested timeout; a resume by traffic uses it again. */
  timeoutMs: z.number(),
  processesLostAtMs: z.number().optional(),
  /** The owner does not use it now, and allows it to be put to sleep when memory is short. */
  evictableSinceMs: z.number().optional(),
  /** How the last resume went; absent if it was never paused. */
  wokeWith: z.enum(['memory', 'files']).optional(),
  phase,
});
export type SandboxRecord = z.infer<typeof sandboxRecord>;

/** A layer captured from a sandbox: a snapshot, or the shared base of one call's forks. */
export const layerRecord = z.object({
  id: z.string(),
  kind: z.enum(['snapshot', 'fork']),
  snapshotId: z.string(),
  names: z.array(z.string()),
  sourceSandboxId: z.string(),
  createdAtMs: z.number(),
  limits,
  env: z.record(z.string(), z.string()),
  /** False once its owner deleted it while sandboxes still use it; it is removed with the last of them. */
  listed: z.boolean(),
  /** False until the back end has finished it; an unfinished layer is removed at the next start. */
  ready: z.boolean(),
});
export type LayerRecord = z.infer<typeof layerRecord>;
