import * as z from 'zod';

/** Maximum size of a file that the web app shows; larger ones are for the editor. */
export const MAX_FILE_BYTES = 1_000_000;
export const MAX_LISTED_ENTRIES = 1_000;

/** A path within the repository, without git's own folder. */
const filePath = z
  .string()
  .max(4096)
  .refine((path) => path.split('/').every(isPart), 'must be a path within the repository');

function isPart(part: string): boolean {
  return part !== '' && part !== '.' && part !== '..' && part !== '.git' && isSafe(part);
}

/** A file name cannot contain a NUL or a lone surrogate. */
function isSafe(part: string): boolean {
  return !part.includes('\0') && part.isWellFormed();
}

/** `GET /api/sessions/:sessionId/files?path=`: the root of the repository when absent or empty. */
export const FolderQuery = z.strictObject({
  path: z.union([z.literal(''), filePath]).default(''),
});
export type FolderQuery = z.infer<typeof FolderQuery>;

/** `GET /api/sessions/:sessionId/files/content?path=` */
export const FileQuery = z.strictObject({ path: filePath });
export type FileQuery = z.infer<typeof FileQuery>;

export const FolderEntry = z.object({
  name: z.string(),
  kind: z.enum(['file', 'folder', 'link', 'other']),
  /** Null for everything but files. */
  sizeBytes: z.int().nonnegative().nullable(),
});
export type FolderEntry = z.infer<typeof FolderEntry>;

export const FolderListing = z.object({
  /** `sandbox`: the current state. `forge`: the pushed state. */
  source: z.enum(['sandbox', 'forge']),
  path: z.string(),
  /** Folders first, each kind by name. */
  entries: z.array(FolderEntry),
  /** There are more entries than are listed. */
  truncated: z.boolean(),
});
export type FolderListing = z.infer<typeof FolderListing>;
