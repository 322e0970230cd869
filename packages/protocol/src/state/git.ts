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

/** What a session knows of its branch, commits, checkpoint and pull request. Bounded, whatever the log's length. */
export const GitState = z.object({
  /** `OWNER/NAME` as the forge calls the repository now; null while it is what the session's address says. */
  movedTo: z.string().nullable(),
  branch: z.string().nullable(),
  base: z.string().nullable(),
  /** Where the branch and its base last met: what the session's diff is compared with. */
  baseSha: CommitSha.nullable(),
  /** The session's newest commit. */
  headSha: CommitSha.nullable(),
  /** What the branch at the forge was when we last pushed it: the lease of the next push. */
  pushedSha: CommitSha.nullable(),
  /** Where somebody else moved the branch since; null when nobody did. */
  outside: z.object({ sha: CommitSha.nullable() }).nullable(),
  /** The newest commits, oldest first, at most `MAX_KEPT_COMMITS`. */
  commits: z.array(SessionCommit),
  commitCount: count,
  /** Null when the branch itself holds all of the work. */
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
      /** As we last wrote it: a title that a person changed is left alone. */
      title: z.string(),
      state: PullRequestState,
      draft: z.boolean(),
    })
    .nullable(),
  /** Files of the newest turn that no commit has. */
  skipped: z.array(SkippedFile).default([]),
  /** What setup and tests changed, newest last, at most `MAX_KEPT_LEFTOVERS`; absent in older states. */
  leftovers: z.array(Leftover).optional(),
  /** What the newest clone has and lacks, as the agent is told it; absent when it is an ordinary one. */
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
