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
  }),
  z.object({
    state: z.literal('ready'),
    port: z.int().min(1).max(65_535),
    /** The folder to open. */
    folder: z.string(),
  }),
  z.object({ state: z.literal('failed'), error: ShipError }),
]);
export type EditorView = z.infer<typeof EditorView>;
