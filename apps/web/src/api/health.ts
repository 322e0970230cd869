/** Stands in for `Health` of @ship/protocol until that package exports it. */
import * as z from 'zod/mini';

const PartState = z.enum(['up', 'starting', 'restarting', 'down']);

const Part = z.object({
  name: z.string(),
  state: PartState,
  since: z.iso.datetime(),
  restarts: z.int().check(z.nonnegative()),
  detail: z.nullable(z.string()),
});

export const Health = z.object({
  status: z.enum(['ok', 'degraded']),
  version: z.string(),
  protocolVersion: z.int(),
  now: z.iso.datetime(),
  parts: z.array(Part),
});

export type PartState = z.infer<typeof PartState>;
export type Part = z.infer<typeof Part>;
export type Health = z.infer<typeof Health>;
