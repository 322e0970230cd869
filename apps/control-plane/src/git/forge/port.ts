/** A forge, as a session uses it. Every call may be repeated after a crash. */
import type { Diff, FolderEntry, MergeMethod, PullRequest } from '@ship/protocol';
import type { FirstCommit } from '../first-commit.ts';
import type { ForgeKind } from './address.ts';

export interface ForgeRepository {
  defaultBranch: string;
  isArchived: boolean;
  /** As reported by the forge; a token with fewer rights than its owner only fails at a push (`mayPush`). */
  canPush: boolean;
  /** 0 when the forge does not know. */
  sizeKb: number;
}

export interface ForgeAccount {
  login: string;
  /** The display name; the login where there is none. */
  name: string;
  /**
   * The local forge uses the address of its owner's own git. Elsewhere it is the forge's no-reply address of the account: it
   * attributes commits without revealing a private one.
   */
  email: string;
}

export interface ForkAdvice {
  /** The address of the account's own fork, to start a session with; null when it has none. */
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

/** The state of a local folder that a session was started on. */
interface WorkingCopy {
  /** The checked-out branch; null when HEAD is detached, or names a missing branch beside existing ones. */
  branch: string | null;
  /** The commit of a detached HEAD. */
  detachedAt: string | null;
  /** The number of uncommitted files, which are not in the session; null when it is not known. */
  uncommitted: number | null;
}

export interface Forge {
  readonly kind: ForgeKind;
  /** Absent for a repository that is not a folder. */
  readonly workingCopy?: WorkingCopy | null;
  /** The newest name at the forge: old names redirect, and every answer about the repository has the new one. */
  readonly owner: string;
  readonly name: string;
  /** `OWNER/NAME` when it differs from the address. */
  readonly movedTo: string | null;
  repository(): Promise<ForgeRepository>;
  account(): Promise<ForgeAccount>;
  /** Asks the git endpoint whether it would accept a push. `words` are the forge's reason, if not. */
  mayPush(): Promise<{ isAllowed: boolean; words: string }>;
  /** Where this account can push instead: its own fork, if there is one, and where to create one. Null where none is possible. */
  fork(): Promise<ForkAdvice | null>;
  /** `heads/x` or `ship/ses_…/checkpoint`; null when there is none. */
  refSha(ref: string): Promise<string | null>;
  /**
   * False when the forge keeps the ref, such as a branch that is checked out in the user's folder. A missing ref counts as
   * deleted.
   */
  deleteRef(ref: string): Promise<boolean>;
  hasRefsBelow(prefix: string): Promise<boolean>;
  /** Creates the first branch of an empty repository; changes nothing where one of that name exists. */
  createBranch(branch: string, first: FirstCommit): Promise<void>;
  pullRequest(number: number): Promise<PullRequest>;
  /** A branch's open pull request, else its newest. */
  findPullRequest(branch: string): Promise<PullRequest | null>;
  /** Opens a draft; returns the existing pull request when there is one. */
  openPullRequest(input: PullRequestInput): Promise<PullRequest>;
  editPullRequest(number: number, change: { title?: string; body?: string }): Promise<PullRequest>;
  markReady(number: number): Promise<PullRequest>;
  /** Refused when the head is no longer `headSha`: only what was reviewed gets merged. */
  merge(number: number, method: MergeMethod, headSha: string): Promise<PullRequest>;
  close(number: number): Promise<PullRequest>;
  compare(fromSha: string, toSha: string): Promise<Diff>;
  checks(sha: string): Promise<ForgeChecks>;
  /** Undefined when there is no such folder; the forge lists at most 1,000 entries. */
  folder(path: string, sha: string): Promise<FolderEntry[] | undefined>;
  /** All files, as far as the forge lists them at once. */
  paths(sha: string): Promise<string[]>;
  /** Undefined when there is no such file; null when it is too large for the forge to serve. */
  file(path: string, sha: string): Promise<Uint8Array | null | undefined>;
}
