import * as z from 'zod';
import { TurnId } from '../ids.ts';

/** A full object id: SHA-1, or SHA-256 in repositories that use it. Short ones are ambiguous. */
export const CommitSha = z
  .string()
  .regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/, 'must be a full commit id in lower case');

/** Not stricter than git: a valid branch must not make an event unreadable. */
const branch = z.string().min(1).max(300);
const count = z.int().nonnegative();

/** Limit for lists of files: every client reads the event. */
export const MAX_LISTED_FILES = 100;
const files = z.array(z.string().max(4096)).max(MAX_LISTED_FILES);

/** A file that was left out of a commit, and why. */
export const SkippedFile = z.object({
  path: z.string().max(4096),
  /**
   * `lfs-content`: `.gitattributes` requires Git LFS, and only a pointer to the file may be committed. `by-product`: a side
   * effect of a tool, such as a changed lock file without a changed manifest.
   */
  reason: z.enum(['too-large', 'nested-repository', 'lfs-content', 'by-product']),
});
export type SkippedFile = z.infer<typeof SkippedFile>;

/** Setup or tests changed the files from one tree to the other: that difference is not part of the work. */
export const Leftover = z.object({
  by: z.enum(['setup', 'tests']),
  fromTree: CommitSha,
  toTree: CommitSha,
});
export type Leftover = z.infer<typeof Leftover>;

export const PullRequestState = z.enum(['open', 'merged', 'closed']);

/** The other side of a conflict: a person's commits on the same branch, or the base. */
export const ConflictWith = z.enum(['branch', 'base']);

export const GIT_EVENTS = {
  /** The branch exists in the sandbox. `baseSha` is null in a repository without commits. */
  'branch.made': {
    version: 1,
    data: z.object({
      branch,
      base: branch,
      baseSha: CommitSha.nullable(),
      /** Notes for a person about the folder that the session was started on. */
      notes: z.array(z.string().max(300)).max(5).optional(),
    }),
  },
  /** The work got a better name before its branch was first pushed. */
  'branch.renamed': { version: 1, data: z.object({ branch }) },
  /** The forge renamed the repository to `OWNER/NAME`; null when it has its original name again. */
  'repository.moved': { version: 1, data: z.object({ to: z.string().min(3).max(300).nullable() }) },
  /** A new sandbox got the work of the old one. */
  'work.restored': {
    version: 1,
    data: z.object({
      from: z.enum(['checkpoint', 'branch']),
      sha: CommitSha,
    }),
  },
  'commit.made': {
    version: 1,
    data: z.object({
      sha: CommitSha,
      /** The commit to diff against to see only this one; null for the first commit of a repository. */
      parentSha: CommitSha.nullable(),
      message: z.string().max(500),
      turnId: TurnId.nullable(),
      additions: count,
      deletions: count,
      changedFiles: count,
      skipped: z.array(SkippedFile).max(MAX_LISTED_FILES),
    }),
  },
  /** Files of a turn that were left out, when there was nothing else to commit. */
  'files.skipped': {
    version: 1,
    data: z.object({
      turnId: TurnId.nullable(),
      files: z.array(SkippedFile).min(1).max(MAX_LISTED_FILES),
    }),
  },
  /** Parts that a fresh clone lacks (submodules, content in Git LFS), and the submodules that it has. */
  'checkout.noted': {
    version: 1,
    data: z.object({
      submodules: z
        .array(z.object({ path: z.string().max(4096), reason: z.string().max(500) }))
        .max(MAX_LISTED_FILES),
      /** Absent when there are none. */
      initialized: z
        .array(z.object({ path: z.string().max(4096), from: z.string().max(500) }))
        .max(MAX_LISTED_FILES)
        .optional(),
      /** Number of files that are LFS pointers. */
      lfsFiles: z.int().nonnegative(),
    }),
  },
  'branch.pushed': { version: 1, data: z.object({ branch, sha: CommitSha }) },
  /** The base's newer commits are part of the branch now. */
  'base.merged': { version: 1, data: z.object({ baseSha: CommitSha, sha: CommitSha }) },
  /** Someone else moved the branch at the forge; `sha` is null when it was deleted. */
  'branch.moved-outside': { version: 1, data: z.object({ branch, sha: CommitSha.nullable() }) },
  /** Ship deleted the session's branch at the forge, as the settings say. */
  'branch.deleted': {
    version: 1,
    data: z.object({ branch, reason: z.enum(['merged', 'closed', 'ended']) }),
  },
  'checkpoint.saved': {
    version: 1,
    data: z.object({
      sha: CommitSha,
      /** Together with `headSha` it identifies an unchanged working tree. */
      treeSha: CommitSha,
      headSha: CommitSha.nullable(),
      skipped: z.array(SkippedFile).max(MAX_LISTED_FILES),
    }),
  },
  'files.left-behind': { version: 1, data: Leftover },
  'pull-request.opened': {
    version: 1,
    data: z.object({
      number: z.int().min(1),
      url: z.string().max(2000),
      title: z.string().max(300),
      draft: z.boolean(),
      state: PullRequestState,
    }),
  },
  'pull-request.updated': {
    version: 1,
    data: z.object({ number: z.int().min(1), title: z.string().max(300) }),
  },
  'pull-request.state-changed': {
    version: 1,
    data: z.object({ number: z.int().min(1), state: PullRequestState, draft: z.boolean() }),
  },
  /** A merge conflict that needs a decision; `ref` is the other side's ref in the sandbox. */
  'git.conflicted': {
    version: 1,
    data: z.object({
      with: ConflictWith,
      ref: z.string().max(300),
      sha: CommitSha,
      files,
      /** The two sides have no common commit, as when both started in an empty repository. Absent in older logs. */
      unrelated: z.boolean().optional(),
    }),
  },
  'git.conflict-resolved': { version: 1, data: z.object({ with: ConflictWith }) },
} as const;
