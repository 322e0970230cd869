import { limits } from '../limits.ts';

type FileStatus = 'added' | 'removed' | 'modified' | 'renamed' | 'copied' | 'changed';

export interface ChangedFile {
  status: FileStatus;
  path: string;
  previousPath?: string;
  /** The blob after the change; before it for a removed file. */
  blob: string;
  binary: boolean;
  additions: number;
  deletions: number;
  /** Omitted for binary files, pure renames and above the limits. */
  patch?: string;
}

const statuses: Record<string, FileStatus> = {
  A: 'added',
  D: 'removed',
  M: 'modified',
  R: 'renamed',
  C: 'copied',
  T: 'changed',
};

/** Parses `git diff-tree --raw --numstat -z`: all raw entries, then all counts, in the same order. */
export function parseSummary(output: string): ChangedFile[] {
  const fields = output.split('\0');
  const files: ChangedFile[] = [];
  let at = 0;
  while (fields[at]?.startsWith(':') === true) {
    const [, , before = '', after = '', letter = ''] = (fields[at] ?? '').split(' ');
    const status = statuses[letter.charAt(0)] ?? 'changed';
    const moved = status === 'renamed' || status === 'copied';
    const first = fields[at + 1] ?? '';
    const file = {
      status,
      path: moved ? (fields[at + 2] ?? '') : first,
      blob: status === 'removed' ? before : after,
      binary: false,
      additions: 0,
      deletions: 0,
    };
    files.push(moved ? { ...file, previousPath: first } : file);
    at += moved ? 3 : 2;
  }
  for (const file of files) {
    const [added = '', removed = '', path = ''] = (fields[at] ?? '').split('\t');
    // For a rename the path is empty here and the two names follow as separate fields.
    at += path === '' ? 3 : 1;
    file.binary = added === '-';
    file.additions = file.binary ? 0 : Number(added);
    file.deletions = file.binary ? 0 : Number(removed);
  }
  return files;
}

/** Adds its section of `git diff-tree -p` to each file. Both outputs have the same order. */
export function attachPatches(files: ChangedFile[], output: string, truncated: boolean): void {
  const sections = splitPatch(output);
  // The last section of truncated output is incomplete: the patch would not apply.
  if (truncated) sections.pop();
  let at = 0;
  for (const file of files) {
    // A type change (a file becomes a symlink) is written as a removal and an addition.
    const matching = sections.slice(at, at + (file.status === 'changed' ? 2 : 1));
    at += file.status === 'changed' ? 2 : 1;
    const patch = matching
      .map(hunksOf)
      .filter((hunks) => hunks !== '')
      .join('\n');
    if (patch !== '' && !file.binary && isSmall(patch)) file.patch = patch;
  }
}

/** Content lines of a patch start with a marker, so this text at the start of a line is always a header. */
export function splitPatch(output: string): string[] {
  return output.split(/^(?=diff --git )/m).filter((section) => section.startsWith('diff --git '));
}

function hunksOf(section: string): string {
  const start = section.search(/^@@ /m);
  return start < 0 ? '' : section.slice(start).replace(/\n$/, '');
}

function isSmall(patch: string): boolean {
  if (patch.length > limits.patchBytes) return false;
  let lines = 0;
  for (let at = patch.indexOf('\n'); at >= 0; at = patch.indexOf('\n', at + 1)) lines += 1;
  return lines <= limits.patchLines;
}
