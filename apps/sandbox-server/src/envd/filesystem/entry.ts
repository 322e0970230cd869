/** EntryInfo: E2B's description of a file. */
import { lstat, realpath, stat } from 'node:fs/promises';
import type { BigIntStats, Stats } from 'node:fs';
import { basename } from 'node:path';
import { groupName, userName } from '../users.ts';

type FileType =
  | 'FILE_TYPE_UNSPECIFIED'
  | 'FILE_TYPE_FILE'
  | 'FILE_TYPE_DIRECTORY'
  | 'FILE_TYPE_SYMLINK';

export interface Entry {
  name: string;
  type: FileType;
  path: string;
  /** int64 is a string in protobuf's JSON. */
  size: string;
  mode: number;
  permissions: string;
  owner: string;
  group: string;
  modifiedTime: string;
  symlinkTarget?: string;
  metadata?: Record<string, string>;
}

type AnyStats = Pick<
  Stats | BigIntStats,
  | 'isFile'
  | 'isDirectory'
  | 'isSymbolicLink'
  | 'isFIFO'
  | 'isSocket'
  | 'isBlockDevice'
  | 'isCharacterDevice'
>;

function typeOf(stats: AnyStats): FileType {
  if (stats.isFile()) return 'FILE_TYPE_FILE';
  if (stats.isDirectory()) return 'FILE_TYPE_DIRECTORY';
  return stats.isSymbolicLink() ? 'FILE_TYPE_SYMLINK' : 'FILE_TYPE_UNSPECIFIED';
}

/** Go's format of modes, which E2B's clients parse: `-rw-r--r--`, `drwxr-xr-x`, `Lrwxrwxrwx`. */
export function permissionString(stats: AnyStats, mode: number): string {
  const kinds: Array<[boolean, string]> = [
    [stats.isDirectory(), 'd'],
    [stats.isSymbolicLink(), 'L'],
    [stats.isCharacterDevice(), 'Dc'],
    [stats.isBlockDevice(), 'D'],
    [stats.isFIFO(), 'p'],
    [stats.isSocket(), 'S'],
    [(mode & 0o4000) !== 0, 'u'],
    [(mode & 0o2000) !== 0, 'g'],
    [(mode & 0o1000) !== 0, 't'],
  ];
  const prefix =
    kinds
      .filter(([holds]) => holds)
      .map(([, letter]) => letter)
      .join('') || '-';
  const bits = 'rwxrwxrwx'
    .split('')
    .map((letter, index) => ((mode & (0o400 >> index)) === 0 ? '-' : letter));
  return prefix + bits.join('');
}

/** RFC 3339 with nanoseconds, protobuf's JSON format of a timestamp. */
export function timestamp(nanoseconds: bigint): string {
  const billion = 1_000_000_000n;
  const fraction = ((nanoseconds % billion) + billion) % billion;
  const seconds = Number((nanoseconds - fraction) / billion);
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${String(fraction).padStart(9, '0')}Z`;
}

/** A link has the type and mode of its target, plus the target's path. */
export async function entryOf(path: string): Promise<Entry> {
  const own = await lstat(path, { bigint: true });
  const target = own.isSymbolicLink() ? await realpath(path).catch(() => path) : undefined;
  const pointed =
    target === undefined ? own : await stat(target, { bigint: true }).catch(() => undefined);
  const ownMode = Number(own.mode) & 0o7777;
  return {
    name: basename(path) || '/',
    type: pointed === undefined ? 'FILE_TYPE_UNSPECIFIED' : typeOf(pointed),
    path,
    size: String(own.size),
    mode: pointed === undefined ? 0 : Number(pointed.mode) & 0o777,
    permissions: permissionString(own, ownMode),
    owner: userName(Number(own.uid)),
    group: groupName(Number(own.gid)),
    modifiedTime: timestamp(own.mtimeNs),
    ...(target === undefined ? {} : { symlinkTarget: target }),
  };
}
