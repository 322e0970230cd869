import * as z from 'zod';
import { TurnId } from '../ids.ts';

/** A full object id: SHA-1, or SHA-256 in repositories that use it. Short ones are ambiguous. */
export const CommitSha = z
  .string()
  .regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/, 'must be a full commit id in lower case');

/** Not stricter than git: a branch that exists must not make an event unreadable. */
const branch = z.string().min(1).max(300);
const count = z.int().nonnegative();

/** Files that a person should look at. Long lists are cut: an event is read by every client. */
export const MAX_LISTED_FILES = 100;
const files = z.array(z.string().max(4096)).max(MAX_LISTED_FILES);

/** A file that was left out of a commit, and why. */
export const SkippedFile = z.object({
  path: z.string().max(4096),
  reason: z.enum(['too-large', 'nested-repository']),
});
export type SkippedFile = z.infer<typeof SkippedFile>;

export const PullRequestState = z.enum(['open', 'merged', 'closed']);

/** What a branch could not be brought together with: a person's commits on the same branch, or the base. */
export const ConflictWith = z.enum(['branch', 'base']);

export const GIT_EVENTS = {
  /** The branch exists in the sandbox. `baseSha` is null in a repository without commits. */
  'branch.made': {
    version: 1,
    data: z.object({ branch, base: branch, baseSha: CommitSha.nullable() }),
  },
  /** Before anybody outside has seen it: the work has got a better name. */
  'branch.renamed': { version: 1, data: z.object({ branch }) },
  /** The forge calls the repository `OWNER/NAME` now; null when it is again what the session's address says. */
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
      /** The commit to compare with to see this one alone; null for the first commit of a repository. */
      parentSha: CommitSha.nullable(),
      message: z.string().max(500),
      turnId: TurnId.nullable(),
      additions: count,
      deletions: count,
      changedFiles: count,
      skipped: z.array(SkippedFile).max(MAX_LISTED_FILES),
    }),
  },
  'branch.pushed': { version: 1, data: z.object({ branch, sha: CommitSha }) },
  /** The base's newer commits are part of the branch now. */
  'base.merged': { version: 1, data: z.object({ baseSha: CommitSha, sha: CommitSha }) },
  /** Somebody else moved the branch at the forge; null when it was deleted. */
  'branch.moved-outside': { version: 1, data: z.object({ branch, sha: CommitSha.nullable() }) },
  'checkpoint.saved': {
    version: 1,
    data: z.object({
      sha: CommitSha,
      /** With `headSha`, by which an unchanged working tree is recognized. */
      treeSha: CommitSha,
      headSha: CommitSha.nullable(),
      skipped: z.array(SkippedFile).max(MAX_LISTED_FILES),
    }),
  },
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
  /** Ours and theirs cannot be brought together without a decision; `ref` names theirs inside the sandbox. */
  'git.conflicted': {
    version: 1,
    data: z.object({ with: ConflictWith, ref: z.string().max(300), sha: CommitSha, files }),
  },
  'git.conflict-resolved': { version: 1, data: z.object({ with: ConflictWith }) },
} as const;
