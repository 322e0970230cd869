import type { Diff, FileDiff, FileStatus } from '@ship/protocol';
import { parseHunks } from './hunks.ts';

export { parseHunks } from './hunks.ts';

/** Limits for a diff that a browser can show; longer files are listed without their lines. */
export const DIFF_LIMITS = {
  files: 1_000,
  patchBytes: 200_000,
  patchLines: 5_000,
  /** All patches of one diff together. */
  totalBytes: 3_000_000,
} as const;

const STATUS: Record<string, FileStatus> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'type-changed',
};

export interface ChangedFile {
  path: string;
  previousPath: string | null;
  status: FileStatus;
  additions: number;
  deletions: number;
  isBinary: boolean;
}

/** Parses `git diff --raw --numstat -z`: unquoted paths, separated by NUL, in the order of the patches. */
export function parseChangedFiles(output: string): ChangedFile[] {
  const words = output.split('\0');
  const files: ChangedFile[] = [];
  let i = 0;
  for (; words[i]?.startsWith(':') === true;) {
    const letter = words[i]?.split(' ')[4]?.[0] ?? 'M';
    const isMoved = letter === 'R' || letter === 'C';
    const first = words[i + 1] ?? '';
    const path = isMoved ? (words[i + 2] ?? '') : first;
    files.push({
      path,
      previousPath: isMoved ? first : null,
      status: STATUS[letter] ?? 'modified',
      additions: 0,
      deletions: 0,
      isBinary: false,
    });
    i += isMoved ? 3 : 2;
  }
  const byPath = new Map(files.map((file) => [file.path, file]));
  for (; i < words.length; i += 1) {
    const match = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(words[i] ?? '');
    if (match === null) continue;
    // A renamed file has an empty path here and its two paths in the next two words.
    const path = match[3] === '' ? (words[i + 2] ?? '') : (match[3] ?? '');
    if (match[3] === '') i += 2;
    const file = byPath.get(path);
    if (file === undefined) continue;
    file.isBinary = match[1] === '-';
    file.additions = file.isBinary ? 0 : Number(match[1]);
    file.deletions = file.isBinary ? 0 : Number(match[2]);
  }
  return files;
}

/** The patch of each file in turn. No content line can begin with `diff --git`: each has a mark in front. */
export function splitPatches(output: string): string[] {
  // A multi-line pattern would also match after a carriage return inside a line.
  return `\n${output}`.split('\ndiff --git ').slice(1);
}

/** One file's part of a diff; `omitted` says when a patch is missing or too long. */
export function fileDiff(file: ChangedFile, patch: string | undefined): FileDiff {
  const { path, previousPath, status, additions, deletions, isBinary } = file;
  const isChanged = additions + deletions > 0;
  const isTooLarge =
    patch === undefined
      ? isChanged
      : patch.length > DIFF_LIMITS.patchBytes || additions + deletions > DIFF_LIMITS.patchLines;
  const omitted = isBinary ? 'binary' : isTooLarge ? 'too-large' : null;
  const hunks = omitted === null && patch !== undefined ? parseHunks(patch) : [];
  return { path, previousPath, status, additions, deletions, hunks, omitted };
}

export function diffOf(
  parts: Pick<Diff, 'source' | 'fromSha' | 'toSha' | 'truncated'>,
  files: FileDiff[],
): Diff {
  const sum = (key: 'additions' | 'deletions') => files.reduce((all, file) => all + file[key], 0);
  return { ...parts, files, additions: sum('additions'), deletions: sum('deletions') };
}
