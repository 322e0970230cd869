/** Converts the forge's objects to the protocol's. */
import { type ChangedFile, diffOf, DIFF_LIMITS, fileDiff } from '@ship/core';
import type { Diff, FileStatus, PullRequest } from '@ship/protocol';

export interface ForgePullRequest {
  number: number;
  html_url: string;
  title: string;
  body?: string | null;
  state: string;
  draft?: boolean | undefined;
  merged?: boolean | undefined;
  merged_at?: string | null;
  mergeable?: boolean | null;
  head: { ref: string; sha: string };
  base: { ref: string; repo?: { full_name: string } };
}

export function pullRequestOf(found: ForgePullRequest): PullRequest {
  const isMerged = found.merged === true || (found.merged_at ?? null) !== null;
  return {
    number: found.number,
    url: found.html_url,
    title: found.title,
    body: found.body ?? '',
    state: isMerged ? 'merged' : found.state === 'open' ? 'open' : 'closed',
    draft: found.draft ?? false,
    head: found.head.ref,
    headSha: found.head.sha,
    base: found.base.ref,
    mergeable: found.mergeable ?? null,
  };
}

export interface ForgeFile {
  filename: string;
  previous_filename?: string | undefined;
  status: string;
  additions: number;
  deletions: number;
  patch?: string | undefined;
  sha: string | null;
}

const STATUS: Record<string, FileStatus> = {
  added: 'added',
  removed: 'deleted',
  modified: 'modified',
  renamed: 'renamed',
  copied: 'copied',
  changed: 'type-changed',
};
const EMPTY_BLOB = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';
/** The forge lists at most this many files in one comparison. */
const COMPARED_FILES = 300;

export function comparedDiff(fromSha: string, toSha: string, files: readonly ForgeFile[]): Diff {
  const truncated = files.length >= COMPARED_FILES;
  const listed = files
    .slice(0, DIFF_LIMITS.files)
    .map((file) => fileDiff(changed(file), file.patch));
  return diffOf({ source: 'forge', fromSha, toSha, truncated }, listed);
}

function changed(file: ForgeFile): ChangedFile {
  const status = STATUS[file.status] ?? 'modified';
  const hasNoLines = file.patch === undefined && file.additions + file.deletions === 0;
  return {
    path: file.filename,
    previousPath: file.previous_filename ?? null,
    status,
    additions: file.additions,
    deletions: file.deletions,
    // The forge does not mark binary files: their content differs, without lines.
    isBinary: hasNoLines && !['renamed', 'copied'].includes(status) && file.sha !== EMPTY_BLOB,
  };
}
