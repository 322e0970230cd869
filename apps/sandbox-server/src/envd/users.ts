/** Users from /etc/passwd inside, reloaded when it changes: a command may have added one. */
import { readFileSync, statSync } from 'node:fs';
import { RpcError } from './connect/errors.ts';

export interface User {
  name: string;
  uid: number;
  gid: number;
  home: string;
}

export const DEFAULT_USER = 'user';

/** name:password:uid:gid:comment:home:shell */
export function parsePasswd(text: string): User[] {
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid, , home] = line.split(':');
    if (name === undefined || name === '' || home === undefined) return [];
    return [{ name, uid: Number(uid), gid: Number(gid), home: home || '/' }];
  });
}

/** name:password:gid:members */
export function parseGroups(text: string): Map<number, string> {
  const rows = text.split('\n').map((line) => line.split(':'));
  return new Map(
    rows.filter((row) => row.length >= 3).map(([name = '', , gid]) => [Number(gid), name]),
  );
}

class CachedFile<T> {
  readonly #path: string;
  readonly #parse: (text: string) => T;
  readonly #fallback: T;
  #stamp = '';
  #value: T;

  constructor(path: string, parse: (text: string) => T, fallback: T) {
    this.#path = path;
    this.#parse = parse;
    this.#fallback = fallback;
    this.#value = fallback;
  }

  read(): T {
    try {
      const { mtimeMs, ino, size } = statSync(this.#path);
      const stamp = `${mtimeMs}:${ino}:${size}`;
      if (stamp !== this.#stamp) {
        this.#value = this.#parse(readFileSync(this.#path, 'utf8'));
        this.#stamp = stamp;
      }
      return this.#value;
    } catch {
      // The user removed or broke the file: the two built-in users still work.
      return this.#fallback;
    }
  }
}

const BUILT_IN: User[] = [
  { name: 'root', uid: 0, gid: 0, home: '/root' },
  { name: DEFAULT_USER, uid: 1000, gid: 1000, home: '/home/user' },
];

const passwd = new CachedFile('/etc/passwd', parsePasswd, BUILT_IN);
const groups = new CachedFile('/etc/group', parseGroups, new Map<number, string>());

/** The user that a call names, or the default one. */
export function findUser(name: string | undefined, fallback: string): User {
  const wanted = name ?? fallback;
  const user =
    passwd.read().find((row) => row.name === wanted) ?? BUILT_IN.find((row) => row.name === wanted);
  if (user !== undefined) return user;
  throw new RpcError('unauthenticated', `invalid username: '${wanted}'`);
}

export function userName(uid: number): string {
  return passwd.read().find((row) => row.uid === uid)?.name ?? String(uid);
}

export function groupName(gid: number): string {
  return groups.read().get(gid) ?? String(gid);
}
