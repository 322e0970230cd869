import * as z from 'zod';

export const PartState = z.enum(['starting', 'up', 'restarting', 'down']);
export type PartState = z.infer<typeof PartState>;

/** One part of a running installation, as it was found when the question was asked. */
export const PartHealth = z.object({
  name: z.string(),
  state: PartState,
  since: z.iso.datetime(),
  restarts: z.int().nonnegative(),
  detail: z.string().nullable(),
});
export type PartHealth = z.infer<typeof PartHealth>;

/** `GET /api/health`, to those who are known */
export const Health = z.object({
  status: z.enum(['ok', 'degraded']),
  version: z.string(),
  protocolVersion: z.int(),
  now: z.iso.datetime(),
  parts: z.array(PartHealth),
});
export type Health = z.infer<typeof Health>;

/** Strangers get no version to look up known holes for, and no parts to watch. */
export const HealthAnswer = z.union([Health, Health.pick({ status: true })]);
export type HealthAnswer = z.infer<typeof HealthAnswer>;

/** What the host process answers to the control plane on its private socket. */
export const HostStatus = z.object({ parts: z.array(PartHealth) });
export type HostStatus = z.infer<typeof HostStatus>;
