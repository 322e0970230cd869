import * as z from 'zod';

export const MAX_FOUND_FILES = 20;

/** `GET /api/sessions/:sessionId/files/search?q=`: letters of a path, in order. */
export const FileSearchQuery = z.strictObject({
  q: z
    .string()
    .max(100)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must be one line of text')
    .default(''),
});
export type FileSearchQuery = z.infer<typeof FileSearchQuery>;

export const FoundFiles = z.object({
  source: z.enum(['sandbox', 'forge']),
  /** The best match first. */
  paths: z.array(z.string()).max(MAX_FOUND_FILES),
});
export type FoundFiles = z.infer<typeof FoundFiles>;
