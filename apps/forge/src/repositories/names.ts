/** Names must be safe as a folder and in a URL. `.` and `..` would leave the root. */
export function isOwnerName(owner: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,38}$/.test(owner);
}

export function isRepositoryName(name: string): boolean {
  if (!/^[A-Za-z0-9._-]{1,100}$/.test(name)) return false;
  return !name.startsWith('.') && !name.startsWith('-') && !/\.(git|lock)$/i.test(name);
}

/** The branch of `branch`, `owner:branch` or `owner:repo:branch`; undefined for another repository's branch. */
export function sameRepositoryBranch(
  head: string,
  owner: string,
  name: string,
): string | undefined {
  const parts = head.split(':');
  const branch = parts.at(-1);
  if (parts.length === 1) return branch;
  if (parts.length > 3 || parts[0]?.toLowerCase() !== owner.toLowerCase()) return undefined;
  return parts.length === 3 && parts[1]?.toLowerCase() !== name.toLowerCase() ? undefined : branch;
}
