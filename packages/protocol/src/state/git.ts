import * as z from 'zod';
import {
  CommitSha,
  ConflictWith,
  Leftover,
  PullRequestState,
  SkippedFile,
} from '../events/git-events.ts';
import { TurnId } from '../ids.ts';

const count = z.int().nonnegative();

export const SessionCommit = z.object({
  sha: CommitSha,
  parentSha: CommitSha.nullable(),
  message: z.string(),
  turnId: TurnId.nullable(),
  additions: count,
  deletions: count,
  at: z.int(),
});
export type SessionCommit = z.infer<typeof SessionCommit>;

/** The state of a session's branch, commits, checkpoint and pull request. Its size does not grow with the log. */
export const GitState = z.object({
  /** The repository's new `OWNER/NAME` after a rename at the forge; null without one. */
  movedTo: z.string().nullable(),
  branch: z.string().nullable(),
  base: z.string().nullable(),
  /** The merge base of the branch and its base, from which the session's diff starts. */
  baseSha: CommitSha.nullable(),
  /** The session's newest commit. */
  headSha: CommitSha.nullable(),
  /** The branch's commit at the forge after the last push: the lease (`--force-with-lease`) of the next push. */
  pushedSha: CommitSha.nullable(),
  /** Where someone else moved the branch since; null otherwise. */
  outside: z.object({ sha: CommitSha.nullable() }).nullable(),
  /** The newest commits, oldest first, at most `MAX_KEPT_COMMITS`. */
  commits: z.array(SessionCommit),
  commitCount: count,
  /** Null when the branch contains all of the work. */
  checkpoint: z
    .object({
      sha: CommitSha,
      treeSha: CommitSha,
      headSha: CommitSha.nullable(),
      at: z.int(),
    })
    .nullable(),
  pullRequest: z
    .object({
      number: z.int().min(1),
      url: z.string(),
      /** The title that Ship last wrote: Ship does not overwrite a title that a person changed. */
      title: z.string(),
      state: PullRequestState,
      draft: z.boolean(),
    })
    .nullable(),
  /** Files of the newest turn that were left out of its commit. */
  skipped: z.array(SkippedFile).default([]),
  /** Changes by setup and tests, newest last, at most `MAX_KEPT_LEFTOVERS`; absent in older states. */
  leftovers: z.array(Leftover).optional(),
  /** Submodules and LFS files of the newest clone, for the note to the agent; absent without any. */
  checkout: z
    .object({
      missing: z.array(z.object({ path: z.string(), reason: z.string() })),
      initialized: z.array(z.string()),
      lfsFiles: count,
    })
    .optional(),
  conflict: z
    .object({
      with: ConflictWith,
      ref: z.string(),
      sha: CommitSha,
      files: z.array(z.string()),
      unrelated: z.boolean().optional(),
    })
    .nullable(),
});
export type GitState = z.infer<typeof GitState>;

export const MAX_KEPT_COMMITS = 50;
export const MAX_KEPT_LEFTOVERS = 10;
export const MAX_KEPT_SUBMODULES = 20;
