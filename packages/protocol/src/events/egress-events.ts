import * as z from 'zod';
import { TurnId } from '../ids.ts';

export const EGRESS_EVENT_LIMITS = { perTurn: 20 } as const;

/** A connection that the sandbox's egress rules refused: the rule, and the address when that is the reason. */
export const Refusal = z.object({
  host: z.string().min(1).max(253),
  port: z.int().min(0).max(65_535),
  rule: z.string().min(1).max(40),
  /** The TLS server name (SNI), if it differs from `host`. */
  serverName: z.string().min(1).max(253).optional(),
  address: z.string().max(64).optional(),
});
export type Refusal = z.infer<typeof Refusal>;

export const EGRESS_EVENTS = {
  'egress.refused': { version: 1, data: Refusal.extend({ turnId: TurnId }) },
} as const;
