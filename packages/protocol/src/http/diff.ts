import * as z from 'zod';
import { CommitSha } from '../events/git-events.ts';
import { TurnId } from '../ids.ts';

const count = z.int().nonnegative();

export const DiffHunk = z.object({
  oldStart: count,
  oldLines: count,
  newStart: count,
  newLines: count,
  /** The text after the second `@@`: often the function that contains the hunk. */
  section: z.string(),
  /** Each begins with ` `, `+`, `-`, or `\` for "no newline at the end of the file". */
  lines: z.array(z.string()),
});
export type DiffHunk = z.infer<typeof DiffHunk>;

export const FileStatus = z.enum([
  'added',
  'modified',
  'deleted',
  'renamed',
  'copied',
  'type-changed',
]);
export type FileStatus = z.infer<typeof FileStatus>;

export const FileDiff = z.object({
  path: z.string(),
  /** The old path of a renamed or copied file. */
  previousPath: z.string().nullable(),
  status: FileStatus,
  additions: count,
  deletions: count,
  hunks: z.array(DiffHunk),
  /** Why a changed file has no hunks. */
  omitted: z.enum(['binary', 'too-large']).nullable(),
});
export type FileDiff = z.infer<typeof FileDiff>;

/** `GET /api/sessions/:sessionId/diff` */
export const Diff = z.object({
  /** `sandbox`: includes uncommitted changes. `forge`: the pushed state. */
  source: z.enum(['sandbox', 'forge']),
  fromSha: CommitSha.nullable(),
  /** Null for the working tree. */
  toSha: CommitSha.nullable(),
  files: z.array(FileDiff),
  additions: count,
  deletions: count,
  /** There are more files than are listed. */
  truncated: z.boolean(),
});
export type Diff = z.infer<typeof Diff>;

export const DiffQuery = z.strictObject({
  /** Only the changes of one turn; all of the session's work when absent. */
  turn: TurnId.optional(),
});
export type DiffQuery = z.infer<typeof DiffQuery>;
