/** What a session needs of a forge. Every call may be repeated after a crash. */
import type { Diff, FolderEntry, MergeMethod, PullRequest } from '@ship/protocol';
import type { FirstCommit } from '../first-commit.ts';
import type { ForgeKind } from './address.ts';

export interface ForgeRepository {
  defaultBranch: string;
  isArchived: boolean;
  /** As far as the forge says; a token with fewer rights than its owner shows only when it pushes (`mayPush`). */
  canPush: boolean;
  /** 0 when the forge does not know. */
  sizeKb: number;
}

export interface ForgeAccount {
  login: string;
  /** As people read it; the login where nobody has said. */
  name: string;
  /**
   * Of the local forge the one that its owner's own git uses. Elsewhere one that the forge made for this account: commits
   * are attributed without showing a private one.
   */
  email: string;
}

export interface ForkAdvice {
  /** The address of the account's own fork, to be given to a session; null when it has none. */
  own: string | null;
  makeAt: string;
}

export interface PullRequestInput {
  branch: string;
  base: string;
  title: string;
  body: string;
}

export interface ForgeChecks {
  state: 'none' | 'pending' | 'passed' | 'failed';
  failed: string[];
}

/** What is in a folder of this machine that a session was started on. */
interface WorkingCopy {
  /** The branch that is checked out there; null when HEAD is detached, or names a branch that does not exist beside others. */
  branch: string | null;
  /** The commit of a detached HEAD. */
  detachedAt: string | null;
  /** Files that are not committed, and so not in the session; null when that is not known. */
  uncommitted: number | null;
}

export interface Forge {
  readonly kind: ForgeKind;
  /** Absent for a repository that is no folder. */
  readonly workingCopy?: WorkingCopy | null;
  /** As the forge called it last: it follows from old names, and every answer about the repository tells the new one. */
  readonly owner: string;
  readonly name: string;
  /** `OWNER/NAME` when that is no longer what the address says. */
  readonly movedTo: string | null;
  repository(): Promise<ForgeRepository>;
  account(): Promise<ForgeAccount>;
  /** Asks git's own door whether a push would be let in. `words` are the forge's reason, if not. */
  mayPush(): Promise<{ isAllowed: boolean; words: string }>;
  /** Where this account can push instead: its own fork, if there is one, and where one is made. Null where none can be. */
  fork(): Promise<ForkAdvice | null>;
  /** `heads/x` or `ship/ses_…/checkpoint`; null when there is none. */
  refSha(ref: string): Promise<string | null>;
  /** False when the forge keeps it, as one that is checked out in the user's folder. One that is gone already is deleted. */
  deleteRef(ref: string): Promise<boolean>;
  hasRefsBelow(prefix: string): Promise<boolean>;
  /** The first branch of an empty repository; changes nothing where there is one of that name. */
  createBranch(branch: string, first: FirstCommit): Promise<void>;
  pullRequest(number: number): Promise<PullRequest>;
  /** The open one of a branch, else its newest. */
  findPullRequest(branch: string): Promise<PullRequest | null>;
  /** A draft; the one that is there already when there is one. */
  openPullRequest(wish: PullRequestInput): Promise<PullRequest>;
  editPullRequest(number: number, change: { title?: string; body?: string }): Promise<PullRequest>;
  markReady(number: number): Promise<PullRequest>;
  /** Refused when the head is no longer `headSha`: nobody merges what was not looked at. */
  merge(number: number, method: MergeMethod, headSha: string): Promise<PullRequest>;
  close(number: number): Promise<PullRequest>;
  compare(fromSha: string, toSha: string): Promise<Diff>;
  checks(sha: string): Promise<ForgeChecks>;
  /** Undefined when there is no such folder; the forge lists 1,000 entries at most. */
  folder(path: string, sha: string): Promise<FolderEntry[] | undefined>;
  /** All files, as far as the forge lists them at once. */
  paths(sha: string): Promise<string[]>;
  /** Undefined when there is no such file; null when it is too large for the forge to hand out. */
  file(path: string, sha: string): Promise<Uint8Array | null | undefined>;
}
