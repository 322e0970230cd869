import * as z from 'zod';

const count = z.int().nonnegative();

/** A host that a sandbox contacted, or was kept from. */
export const Contact = z.object({
  host: z.string(),
  port: count,
  /** The server that the TLS conversation named, where it is not `host`. */
  serverName: z.string().optional(),
  verdict: z.enum(['allow', 'deny']),
  /** Which rule decided. */
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
  /** False where the sandbox's service keeps no such list, or the sandbox is gone and its list with it. */
  isKept: z.boolean(),
  /** The newest first. */
  contacts: z.array(Contact),
  /** Beyond what is kept by name. */
  unnamed: z.object({ allow: count, deny: count }),
});
export type ContactList = z.infer<typeof ContactList>;
