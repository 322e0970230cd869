interface WorkingCopy {
  branch: string | null;
  detachedAt: string | null;
  uncommitted: number | null;
}

/** Notes about the folder that a session was started on: the session does not have all of its files. */
export function describeWorkingCopy(
  { detachedAt, uncommitted }: WorkingCopy,
  base: string,
): string[] {
  const notes: string[] = [];
  if (detachedAt !== null)
    notes.push(
      `HEAD of the folder is detached at ${detachedAt.slice(0, 9)}, so the session starts from ${base}.`,
    );
  if (uncommitted !== null && uncommitted > 0) notes.push(notCommitted(uncommitted));
  return notes;
}

/** Notes for a repository without commits: the session has no files, even if the folder has some. */
export function describeEmptyRepository(base: string, uncommitted: number): string[] {
  const empty = `The repository has no commit yet: the session starts without files, and Ship creates an empty first commit on ${base} with the first pull request.`;
  return uncommitted === 0
    ? [empty]
    : [
        empty,
        `${notCommitted(uncommitted)} They stay as they are. If the agent needs them, commit them and start a new session.`,
      ];
}

function notCommitted(count: number): string {
  const files = count === 1 ? '1 file is' : `${count.toLocaleString('en')} files are`;
  return `${files} not committed in the folder, and not part of the session.`;
}
