import * as z from 'zod';
import { CommitSha } from '../events/git-events.ts';
import { TurnId } from '../ids.ts';

const count = z.int().nonnegative();

export const DiffHunk = z.object({
  oldStart: count,
  oldLines: count,
  newStart: count,
  newLines: count,
  /** The text behind the second `@@`: often the function that the hunk is in. */
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
  /** Of a renamed or copied file. */
  previousPath: z.string().nullable(),
  status: FileStatus,
  additions: count,
  deletions: count,
  hunks: z.array(DiffHunk),
  /** Why there are no hunks although the content differs. */
  omitted: z.enum(['binary', 'too-large']).nullable(),
});
export type FileDiff = z.infer<typeof FileDiff>;

/** `GET /api/sessions/:sessionId/diff` */
export const Diff = z.object({
  /** `sandbox`: with what is not committed yet. `forge`: what was pushed. */
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
  /** The change of one turn alone; all of the session's work when absent. */
  turn: TurnId.optional(),
});
export type DiffQuery = z.infer<typeof DiffQuery>;
