import * as z from 'zod';

/** A port in a URL path, as text. */
export const PortNumber = z
  .string()
  .regex(/^[1-9][0-9]{0,4}$/, 'must be a port number')
  .transform(Number)
  .refine((port) => port <= 65_535, 'must be a port number');

/** `GET /api/sessions/:sessionId/ports`: listening ports in the sandbox, without Ship's own. */
export const PortList = z.object({ ports: z.array(z.int().min(1).max(65_535)) });
export type PortList = z.infer<typeof PortList>;

/** The first path to open. A value that names another host would redirect away from the sandbox. */
const startPath = z
  .string()
  .max(4096)
  .regex(/^\/(?![/\\])[^\0-\x20]*$/, 'must be a path that starts with one slash');

/** `POST /api/sessions/:sessionId/ports/:port/ticket` */
export const PortTicketRequest = z.strictObject({ path: startPath.default('/') });
export type PortTicketRequest = z.infer<typeof PortTicketRequest>;

/** A short-lived, single-use URL that admits one browser. */
export const PortTicket = z.object({
  url: z.url(),
  expiresAt: z.int(),
  /** The origin that may show it in a frame: the caller's, or the same web app under another name. */
  framedBy: z.url(),
});
export type PortTicket = z.infer<typeof PortTicket>;
