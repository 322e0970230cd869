/** Resolves paths like E2B: `~` and relative paths start at the user's home folder. */
import { isAbsolute, join, normalize } from 'node:path';
import { RpcError } from './connect/errors.ts';
import type { User } from './users.ts';

export function resolvePath(path: string, user: User, defaultFolder?: string): string {
  if (path.includes('\0')) throw new RpcError('invalid_argument', 'a path cannot contain NUL');
  const wanted = path === '' && defaultFolder !== undefined ? defaultFolder : path;
  if (/^~[^/]/.test(wanted)) {
    throw new RpcError('invalid_argument', `cannot expand another user's home folder: '${wanted}'`);
  }
  const expanded = wanted.startsWith('~') ? join(user.home, wanted.slice(1)) : wanted;
  const absolute = isAbsolute(expanded) ? normalize(expanded) : join(user.home, expanded);
  return absolute.length > 1 ? absolute.replace(/\/+$/, '') : absolute;
}
