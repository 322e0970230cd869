import * as z from 'zod';
import { TurnId } from '../ids.ts';

export const EGRESS_EVENT_LIMITS = { perTurn: 20 } as const;

/** A host that the sandbox of a session was kept from, by which rule, and at which address where that is the reason. */
export const Refusal = z.object({
  host: z.string().min(1).max(253),
  port: z.int().min(0).max(65_535),
  rule: z.string().min(1).max(40),
  /** The name inside the TLS conversation, where it is not `host`. */
  serverName: z.string().min(1).max(253).optional(),
  address: z.string().max(64).optional(),
});
export type Refusal = z.infer<typeof Refusal>;

export const EGRESS_EVENTS = {
  'egress.refused': { version: 1, data: Refusal.extend({ turnId: TurnId }) },
} as const;
