import * as z from 'zod';
import { ModelRef } from '../events/session-events.ts';
import { RepositoryLocation } from './text.ts';

/** What one piece of work used. The same key counts once, however often it is reported. */
export const UsageEntry = z.object({
  key: z.string().min(1).max(200),
  at: z.int().nonnegative(),
  model: ModelRef,
  repository: RepositoryLocation,
  costUsd: z.number().nonnegative().max(1_000_000).nullable(),
  inputTokens: z.int().nonnegative(),
  outputTokens: z.int().nonnegative(),
});
export type UsageEntry = z.infer<typeof UsageEntry>;

export const UsageTotal = z.object({
  /** Of the entries whose price is known. */
  costUsd: z.number().nonnegative(),
  /** How many entries have no known price: the cost is at least `costUsd`. */
  unpriced: z.int().nonnegative(),
  inputTokens: z.int().nonnegative(),
  outputTokens: z.int().nonnegative(),
  entries: z.int().nonnegative(),
});
export type UsageTotal = z.infer<typeof UsageTotal>;

export const UsageGrouping = z.enum(['day', 'model', 'repository']);
export type UsageGrouping = z.infer<typeof UsageGrouping>;

/** `GET /api/usage`: days in UTC, both ends included; the last 30 when absent. */
export const UsageQuery = z.strictObject({
  from: z.iso.date().optional(),
  to: z.iso.date().optional(),
  by: UsageGrouping.default('day'),
});
export type UsageQuery = z.infer<typeof UsageQuery>;

export const Usage = z.object({
  from: z.iso.date(),
  to: z.iso.date(),
  by: UsageGrouping,
  /** The 400 most recent days, or the 400 dearest models or repositories. */
  rows: z.array(UsageTotal.extend({ key: z.string() })),
  total: UsageTotal,
});
export type Usage = z.infer<typeof Usage>;
