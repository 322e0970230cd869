import * as z from 'zod';

/** Of one file that is shown in the page; larger ones are for the editor. */
export const MAX_FILE_BYTES = 1_000_000;
export const MAX_LISTED_ENTRIES = 1_000;

/** Within the repository, with `/` between its parts. Git's own folder is no part of the work. */
const filePath = z
  .string()
  .max(4096)
  .refine((path) => path.split('/').every(isPart), 'must be a path within the repository');

function isPart(part: string): boolean {
  return part !== '' && part !== '.' && part !== '..' && part !== '.git' && isSafe(part);
}

/** A NUL ends a name, and half of a surrogate pair is none. */
function isSafe(part: string): boolean {
  return !part.includes('\0') && part.isWellFormed();
}

/** `GET /api/sessions/:sessionId/files?path=`: the whole repository's folder when absent or empty. */
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
  /** Null of everything but files. */
  sizeBytes: z.int().nonnegative().nullable(),
});
export type FolderEntry = z.infer<typeof FolderEntry>;

export const FolderListing = z.object({
  /** `sandbox`: as it is at this moment. `forge`: what was pushed. */
  source: z.enum(['sandbox', 'forge']),
  path: z.string(),
  /** Folders first, each kind by name. */
  entries: z.array(FolderEntry),
  /** There is more than is listed. */
  truncated: z.boolean(),
});
export type FolderListing = z.infer<typeof FolderListing>;
