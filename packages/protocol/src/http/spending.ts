import * as z from 'zod';
import { UsageTotal } from './usage.ts';

const cap = z.number().positive().nullable();

/** `GET /api/spending`: days and months in UTC. */
export const Spending = z.object({
  day: z.iso.date(),
  today: UsageTotal,
  month: UsageTotal,
  /** What calls that are under way may cost at most. */
  reservedUsd: z.number().nonnegative(),
  /** Null means no cap. */
  caps: z.object({ dailyUsd: cap, sessionUsd: cap }),
});
export type Spending = z.infer<typeof Spending>;
