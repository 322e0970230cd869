import * as z from 'zod';
import { ShipError } from '../error-schema.ts';

/**
 * `GET|POST /api/sessions/:sessionId/editor`: VS Code in the session's sandbox. `off`: not started yet, or ended.
 */
export const EditorView = z.discriminatedUnion('state', [
  z.object({ state: z.literal('off') }),
  z.object({
    state: z.literal('preparing'),
    step: z.enum(['download', 'parts', 'start']),
    since: z.int().nonnegative(),
    /** `machine`: installed once for all sandboxes of the machine. */
    where: z.enum(['machine', 'sandbox']),
    /** Size on disk so far; null when not measured. */
    megabytes: z.int().nonnegative().nullable(),
  }),
  z.object({
    state: z.literal('ready'),
    port: z.int().min(1).max(65_535),
    /** The folder to open. */
    folder: z.string(),
    /** Host name and port for the browser. */
    host: z.string().optional(),
  }),
  z.object({ state: z.literal('failed'), error: ShipError }),
]);
export type EditorView = z.infer<typeof EditorView>;

/** `POST /api/sessions/:sessionId/editor/file`: a line of a file of the repository. */
export const EditorTarget = z.object({
  path: z
    .string()
    .min(1)
    .max(4096)
    .refine((path) => !path.includes('\0')),
  line: z.int().min(1).max(9_999_999),
});
export type EditorTarget = z.infer<typeof EditorTarget>;

/** False when no browser has the editor open yet: then open it at that line by its URL. */
export const EditorTargetShown = z.object({ isShown: z.boolean() });
export type EditorTargetShown = z.infer<typeof EditorTargetShown>;

/** The host's state of the editor copy that all sandboxes of its machine share. */
export const HostEditor = z.discriminatedUnion('state', [
  z.object({ state: z.literal('absent') }),
  z.object({
    state: z.literal('installing'),
    step: z.enum(['download', 'parts']),
    since: z.int().nonnegative(),
    megabytes: z.int().nonnegative(),
  }),
  z.object({ state: z.literal('ready') }),
  z.object({ state: z.literal('failed'), reason: z.string() }),
]);
export type HostEditor = z.infer<typeof HostEditor>;
