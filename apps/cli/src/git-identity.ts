import { execFileSync } from 'node:child_process';

/** Merges made on this machine carry the name that its user's commits carry. */
export function gitIdentity(): { name?: string; email?: string } {
  const name = gitConfig('user.name');
  const email = gitConfig('user.email');
  return { ...(name === undefined ? {} : { name }), ...(email === undefined ? {} : { email }) };
}

function gitConfig(key: string): string | undefined {
  try {
    // Not where the user happens to be: that folder's configuration may be anybody's.
    const options = { encoding: 'utf8', cwd: '/' } as const;
    return execFileSync('git', ['config', '--get', key], options).trim() || undefined;
  } catch {
    return undefined;
  }
}
