import * as z from 'zod';
import { ShipError } from '../error-schema.ts';

/**
 * `GET|POST /api/sessions/:sessionId/editor`: VS Code in the session's sandbox. `off`: nobody asked for it there yet, or
 * it has ended.
 */
export const EditorView = z.discriminatedUnion('state', [
  z.object({ state: z.literal('off') }),
  z.object({
    state: z.literal('preparing'),
    step: z.enum(['download', 'parts', 'start']),
    since: z.int().nonnegative(),
    /** `machine`: installed once, for all sandboxes of it. */
    where: z.enum(['machine', 'sandbox']),
    /** On disk so far; null where nobody measures. */
    megabytes: z.int().nonnegative().nullable(),
  }),
  z.object({
    state: z.literal('ready'),
    port: z.int().min(1).max(65_535),
    /** The folder to open. */
    folder: z.string(),
    /** Name and port under which a browser reaches it. */
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

/** False: no browser has the editor open, or not yet; it is opened at that line by its address. */
export const EditorTargetShown = z.object({ isShown: z.boolean() });
export type EditorTargetShown = z.infer<typeof EditorTargetShown>;

/** What the host says of the copy that all sandboxes of its machine share. */
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
