interface WorkingCopy {
  branch: string | null;
  detachedAt: string | null;
  uncommitted: number | null;
}

/** What a person should know of the folder that a session was started on: its files are not all in the session. */
export function describeWorkingCopy(
  { detachedAt, uncommitted }: WorkingCopy,
  base: string,
): string[] {
  const notes: string[] = [];
  if (detachedAt !== null)
    notes.push(
      `HEAD of the folder is detached at ${detachedAt.slice(0, 9)}, so the session starts from ${base}.`,
    );
  if (uncommitted !== null && uncommitted > 0) {
    const files = uncommitted === 1 ? '1 file is' : `${uncommitted.toLocaleString('en')} files are`;
    notes.push(`${files} not committed in the folder, and not part of the session.`);
  }
  return notes;
}
