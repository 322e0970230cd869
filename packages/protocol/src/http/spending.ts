import * as z from 'zod';
import { Budgets } from './settings.ts';
import { UsageTotal } from './usage.ts';

/** `GET /api/spending`: days and months in UTC. */
export const Spending = z.object({
  day: z.iso.date(),
  today: UsageTotal,
  month: UsageTotal,
  /** The maximum cost of running calls. */
  reservedUsd: z.number().nonnegative(),
  /** Null means no cap. */
  caps: Budgets,
});
export type Spending = z.infer<typeof Spending>;
