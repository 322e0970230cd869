import * as z from 'zod';

export const PartState = z.enum(['starting', 'up', 'restarting', 'down']);
export type PartState = z.infer<typeof PartState>;

/** The health of one component of an installation at the time of the request. */
export const PartHealth = z.object({
  name: z.string(),
  state: PartState,
  since: z.iso.datetime(),
  restarts: z.int().nonnegative(),
  detail: z.string().nullable(),
});
export type PartHealth = z.infer<typeof PartHealth>;

/** `GET /api/health` for authenticated callers. */
export const Health = z.object({
  status: z.enum(['ok', 'degraded']),
  version: z.string(),
  protocolVersion: z.int(),
  now: z.iso.datetime(),
  parts: z.array(PartHealth),
});
export type Health = z.infer<typeof Health>;

/** Unauthenticated callers get no version, to look up known vulnerabilities for, and no components. */
export const HealthAnswer = z.union([Health, Health.pick({ status: true })]);
export type HealthAnswer = z.infer<typeof HealthAnswer>;

/** The host process's response to the control plane on its private socket. */
export const HostStatus = z.object({ parts: z.array(PartHealth) });
export type HostStatus = z.infer<typeof HostStatus>;
