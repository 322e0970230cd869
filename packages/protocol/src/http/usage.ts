import * as z from 'zod';
import { ModelRef } from '../events/session-events.ts';
import { RepositoryLocation } from './text.ts';

/** Usage of one operation. `key` is the idempotency key: repeated reports count once. */
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
  /** Cost of the entries with a known price. */
  costUsd: z.number().nonnegative(),
  /** Number of entries without a known price: with any, `costUsd` is a lower bound. */
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
  /** The 400 most recent days, or the 400 most expensive models or repositories. */
  rows: z.array(UsageTotal.extend({ key: z.string() })),
  total: UsageTotal,
});
export type Usage = z.infer<typeof Usage>;
