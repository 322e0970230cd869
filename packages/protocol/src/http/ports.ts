import * as z from 'zod';

/** As it comes in a path, hence text. */
export const PortNumber = z
  .string()
  .regex(/^[1-9][0-9]{0,4}$/, 'must be a port number')
  .transform(Number)
  .refine((port) => port <= 65_535, 'must be a port number');

/** `GET /api/sessions/:sessionId/ports`: what programs in the sandbox listen on, without what is ours. */
export const PortList = z.object({ ports: z.array(z.int().min(1).max(65_535)) });
export type PortList = z.infer<typeof PortList>;

/** Where on that name to begin. One that names another host would lead away from the sandbox. */
const startPath = z
  .string()
  .max(4096)
  .regex(/^\/(?![/\\])[^\0-\x20]*$/, 'must be a path that starts with one slash');

/** `POST /api/sessions/:sessionId/ports/:port/ticket` */
export const PortTicketRequest = z.strictObject({ path: startPath.default('/') });
export type PortTicketRequest = z.infer<typeof PortTicketRequest>;

/** An address that lets one browser in, once and soon. */
export const PortTicket = z.object({
  url: z.url(),
  expiresAt: z.int(),
  /** The origin of the page that can show it in a frame: the caller's own, or the same page under another name. */
  framedBy: z.url(),
});
export type PortTicket = z.infer<typeof PortTicket>;
