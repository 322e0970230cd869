import * as z from 'zod';
import { FolderEntry } from './files.ts';

/** Maximum size of one upload into a sandbox. */
export const MAX_UPLOAD_BYTES = 100 * 1024 * 1024;
/** Maximum size of one download; larger files are fetched in ranges. */
export const MAX_DOWNLOAD_BYTES = 1024 * 1024 * 1024;

/** An absolute path in the sandbox. No `.` and `..`: the shown path must be the real one. */
export const SandboxPath = z
  .string()
  .max(4096)
  .refine(isPlain, 'must be a path from the root of the sandbox, without . and ..');

function isPlain(path: string): boolean {
  if (path === '/') return true;
  return path.startsWith('/') && path.slice(1).split('/').every(isName);
}

function isName(part: string): boolean {
  if (part === '' || part === '.' || part === '..' || part.length > 255) return false;
  return !part.includes('\0') && part.isWellFormed();
}

/** `GET /api/sessions/:sessionId/sandbox/files?path=`: the repository's folder when absent. */
export const SandboxFolderQuery = z.strictObject({ path: SandboxPath.optional() });
export type SandboxFolderQuery = z.infer<typeof SandboxFolderQuery>;

export const SandboxFileQuery = z.strictObject({ path: SandboxPath });
export type SandboxFileQuery = z.infer<typeof SandboxFileQuery>;

export const SandboxFolderCreate = z.strictObject({ path: SandboxPath });
export type SandboxFolderCreate = z.infer<typeof SandboxFolderCreate>;

export const SandboxMove = z.strictObject({ from: SandboxPath, to: SandboxPath });
export type SandboxMove = z.infer<typeof SandboxMove>;

export const SandboxListing = z.object({
  path: z.string(),
  /** Folders first, each kind by name. */
  entries: z.array(FolderEntry),
  /** There are more entries than are listed. */
  truncated: z.boolean(),
});
export type SandboxListing = z.infer<typeof SandboxListing>;

export const SandboxFile = z.object({ path: z.string(), sizeBytes: z.int().nonnegative() });
export type SandboxFile = z.infer<typeof SandboxFile>;
