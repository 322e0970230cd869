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
 * Where a sandbox is in its life. `killing` is written before the back end is asked and `creating` beside it, so that a
 * kill -9 in between leaves a name to clean up after; what it leaves without a name belongs to nobody and is removed.
 */
const phase = z.discriminatedUnion('state', [
  z.object({ state: z.literal('creating') }),
  z.object({ state: z.literal('pooled') }),
  z.object({ state: z.literal('running'), endAtMs: z.number() }),
  z.object({
    state: z.literal('paused'),
    /** `memory`: frozen processes wait inside. `files`: only files are left, a resume boots anew. */
    keeps: z.enum(['memory', 'files']),
    endAtMs: z.number(),
    /** Absent in records of earlier versions. */
    pausedAtMs: z.number().optional(),
    /** Set when the sandbox was not asked to pause but lost its processes: it still ends at its time. */
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
  /** What happens at the end of its time, and whether a request may wake it afterwards. */
  autoPause: z.enum(['off', 'memory', 'files']),
  autoResume: z.boolean(),
  /** The life that it asked for last; a resume by traffic gives it the same again. */
  timeoutMs: z.number(),
  processesLostAtMs: z.number().optional(),
  /** Its owner does not use it now, and lets it be put to sleep when memory is short. */
  evictableSinceMs: z.number().optional(),
  /** How the last resume went; absent while it was never paused. */
  wokeWith: z.enum(['memory', 'files']).optional(),
  phase,
});
export type SandboxRecord = z.infer<typeof sandboxRecord>;

/** A layer made from a sandbox: a snapshot, or what the forks of one moment share. */
export const layerRecord = z.object({
  id: z.string(),
  kind: z.enum(['snapshot', 'fork']),
  snapshotId: z.string(),
  names: z.array(z.string()),
  sourceSandboxId: z.string(),
  createdAtMs: z.number(),
  limits,
  env: z.record(z.string(), z.string()),
  /** False once deleted by its owner while sandboxes still stand on it; it goes with the last of them. */
  listed: z.boolean(),
  /** False until the back end finished it; such a one is removed at the next start. */
  ready: z.boolean(),
});
export type LayerRecord = z.infer<typeof layerRecord>;
