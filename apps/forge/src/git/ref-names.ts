/** The rules of git-check-ref-format as a pure function, so that names are checked before they reach git. */
export function isValidRefName(name: string): boolean {
  if (name.length === 0 || Buffer.byteLength(name) > 1000) return false;
  if (!name.startsWith('refs/') || name.endsWith('/') || name.endsWith('.')) return false;
  // oxlint-disable-next-line no-control-regex -- control characters are what the rule forbids
  if (/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\//.test(name)) return false;
  const parts = name.split('/');
  if (parts.length < 3) return false;
  return parts.every(
    (part) => part !== '' && part !== '@' && !part.startsWith('.') && !part.endsWith('.lock'),
  );
}

/** A branch named `HEAD` would be ambiguous in every command. */
export function isValidBranchName(branch: string): boolean {
  return branch !== 'HEAD' && isValidRefName(`refs/heads/${branch}`);
}

/** The namespaces that a client may write. */
export function isWritableRef(name: string): boolean {
  return /^refs\/(heads|tags|ship)\//.test(name) && name !== 'refs/heads/HEAD';
}

export function branchRef(branch: string): string {
  return `refs/heads/${branch}`;
}

export const noObject = '0'.repeat(40);

export function isObjectId(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text);
}
