import { execFileSync } from 'node:child_process';

/** The user's git identity, for merges that the local forge makes. */
export function gitIdentity(): { name?: string; email?: string } {
  const name = gitConfig('user.name');
  const email = gitConfig('user.email');
  return { ...(name === undefined ? {} : { name }), ...(email === undefined ? {} : { email }) };
}

function gitConfig(key: string): string | undefined {
  try {
    // Not in the current folder: its repository configuration is untrusted.
    const options = { encoding: 'utf8', cwd: '/' } as const;
    return execFileSync('git', ['config', '--get', key], options).trim() || undefined;
  } catch {
    return undefined;
  }
}
