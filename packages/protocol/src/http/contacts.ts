import * as z from 'zod';

const count = z.int().nonnegative();

/** An entry of the egress log: a host that a sandbox connected to, or was refused. */
export const Contact = z.object({
  host: z.string(),
  port: count,
  /** The TLS server name (SNI), if it differs from `host`. */
  serverName: z.string().optional(),
  verdict: z.enum(['allow', 'deny']),
  /** The rule that decided. */
  rule: z.string(),
  firstSeenAt: count,
  lastSeenAt: count,
  connections: count,
  bytesOut: count,
  bytesIn: count,
});
export type Contact = z.infer<typeof Contact>;

/** `GET /api/sessions/:sessionId/sandbox/contacts` */
export const ContactList = z.object({
  /** False when the sandbox service keeps no egress log, or when the log was lost with the sandbox. */
  isKept: z.boolean(),
  /** The newest first. */
  contacts: z.array(Contact),
  /** Connections beyond the hosts that are listed. */
  unnamed: z.object({ allow: count, deny: count }),
});
export type ContactList = z.infer<typeof ContactList>;
